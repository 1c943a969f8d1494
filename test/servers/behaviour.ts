// What a fake server does beside answering by its script: faults, delays, and forms of the stream that real ones have too.

import { parse } from "yaml";
import { z } from "zod";
import { err, ok, type Result } from "../../src/base/result.ts";

const CODE = z.enum(["unauthorized", "quota", "rate-limit", "overloaded", "bad-request", "not-found", "other"]);
const COUNT = z.number().int().min(0);

const BEHAVIOUR = z.strictObject({
  /** Milliseconds before anything is sent. */
  delayMs: z.number().min(0).max(600_000).optional(),
  /** An error of HTTP instead of an answer. `status` stands for the one that the protocol has for the code. */
  refuse: z
    .strictObject({
      code: CODE,
      status: z.number().int().min(300).max(599).optional(),
      message: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      retryAfterMs: z.number().min(0).optional(),
      /** `retry-info` is Google's, in the body. */
      retryAfterAs: z.enum(["seconds", "date", "ms", "retry-info"]).default("seconds"),
    })
    .optional(),
  /** Status 200 and nothing that makes sense; `in-stream` comes after the first event. */
  garbage: z.enum(["html", "json", "in-stream", "empty"]).optional(),
  /** The stream ends after so many bytes of it, or once a call was announced; `reset` cuts the connection, `end` closes it in order. */
  broken: z.strictObject({ after: z.union([COUNT, z.literal("call")]), how: z.enum(["reset", "end"]) }).optional(),
  /** Sends no more, and keeps the connection. */
  hang: z.union([z.literal("before-headers"), z.strictObject({ afterBytes: COUNT })]).optional(),
  /** An error as an event, in the middle of the stream or as its first. */
  streamError: z.strictObject({ code: CODE, message: z.string(), first: z.boolean().default(false) }).optional(),
  /** The output limit is reached with so many characters of the last call's arguments written. */
  cutOff: COUNT.optional(),
  /** The model itself ends the last call's arguments after so many characters: no JSON, and no limit to blame. */
  malformed: COUNT.optional(),
  /** The model declines with this text. */
  declined: z.string().optional(),
  thinking: z.string().min(1).optional(),
  /** Deltas of parallel calls come in turns. */
  interleaved: z.boolean().optional(),
  /** Sizes of the pieces in which bytes are written: 1 splits every character of more than a byte. */
  bytesPerChunk: z.number().int().min(1).optional(),
  /** Instead of the script's; `none` leaves it out where the protocol allows that. */
  usage: z
    .union([
      z.literal("none"),
      z.strictObject({
        inputTokens: COUNT,
        cachedTokens: COUNT.optional(),
        cacheWriteTokens: COUNT.optional(),
        outputTokens: COUNT,
      }),
    ])
    .optional(),
});

export type Behaviour = z.infer<typeof BEHAVIOUR>;

const FAULTS = z.strictObject({
  /** The same seed gives the same request the same fate. */
  seed: z.number().int().default(1),
  /** Each with its share of the requests, from 0 to 1; the rest is answered well. */
  faults: z.array(BEHAVIOUR.extend({ share: z.number().min(0).max(1) })),
});

export type Faults = z.infer<typeof FAULTS>;

/** A file of faults, YAML or JSON. */
export function parseFaults(text: string): Result<Faults, string> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (thrown) {
    return err(`not valid YAML: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const parsed = FAULTS.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(z.prettifyError(parsed.error));
}

/** The behaviour for the request with this number. */
export function drawn({ seed, faults }: Faults, number: number): Behaviour {
  let left = unit(seed, number);
  for (const { share, ...behaviour } of faults) {
    if (left < share) return behaviour;
    left -= share;
  }
  return {};
}

/** Uniform in [0, 1): the finalizer of MurmurHash3 over seed and number. */
function unit(seed: number, number: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
