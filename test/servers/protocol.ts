// What the fake servers have in common: a request as it was understood, an answer before it has a wire form, and the part
// that each of the four protocols plays.

import type { Message } from "../../src/model/message.ts";
import type { Usage } from "../../src/model/usage.ts";

export type ProtocolName = "anthropic" | "responses" | "chat" | "gemini";

export type Json = Readonly<Record<string, unknown>>;

export interface Reading {
  readonly model: string;
  readonly system: string;
  /** As the agent's loop holds them: one message for the results of one answer. */
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
  readonly outputTokensMax: number | null;
  /** Places that bear a cache marker, such as `system`, `tool read_file`, `message 3`; Anthropic only. */
  readonly cacheMarkers: readonly string[];
  /** The client asked for the usage in the stream, or the protocol always has it. */
  readonly wantsUsage: boolean;
}

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  /** The JSON text of the arguments, which may have been cut off. */
  readonly json: string;
}

export interface Answer {
  readonly thinking: string | null;
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  readonly stop: "end" | "calls" | "length" | "refusal";
  readonly usage: Usage;
  /** Pieces of the arguments of different calls come in turns, where the protocol has pieces. */
  readonly interleaved: boolean;
}

/** One event of the stream. */
export interface Frame {
  readonly event: string | null;
  readonly data: string;
  /** With this frame the client knows of a call whose arguments are not whole. */
  readonly announcesCall: boolean;
}

export type RefusalCode =
  | "unauthorized"
  | "quota"
  | "rate-limit"
  | "overloaded"
  | "bad-request"
  | "not-found"
  | "other";

export interface Refusal {
  readonly status: number;
  readonly body: Json;
}

export interface Protocol {
  readonly name: ProtocolName;
  takes(path: string): boolean;
  /** The key in the request's headers; null without one. */
  keyIn(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | null;
  /** Throws for a body that is not of the protocol, as a real server refuses it. */
  read(body: unknown, path: string): Reading;
  frames(answer: Answer, reading: Reading): readonly Frame[];
  /** `retryDelayMs` is for Google's RetryInfo; null for none. */
  refusal(code: RefusalCode, message: string, retryDelayMs: number | null): Refusal;
  /** The error in the middle of a stream. */
  errorFrame(code: RefusalCode, message: string): Frame;
}

export function frame(
  data: unknown,
  options: { readonly event?: string; readonly announcesCall?: boolean } = {},
): Frame {
  const { event = null, announcesCall = false } = options;
  return { event, data: typeof data === "string" ? data : JSON.stringify(data), announcesCall };
}

const pieceChars = 24;

/** A text in the pieces in which a model writes it; at least one. Characters outside of the BMP stay whole. */
export function pieces(text: string): readonly string[] {
  const chars = [...text];
  const parts: string[] = [];
  for (let at = 0; at < chars.length; at += pieceChars) parts.push(chars.slice(at, at + pieceChars).join(""));
  return parts.length === 0 ? [""] : parts;
}

/** One of each list in turns, until all are empty. */
export function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** Figures that are known; the others are left out. */
export function knownFigures(figures: Readonly<Record<string, number | "unavailable" | undefined>>): Json {
  return Object.fromEntries(
    Object.entries(figures).filter(([, figure]) => figure !== undefined && figure !== "unavailable"),
  );
}

export function bearer(value: string | readonly string[] | undefined): string | null {
  return typeof value === "string" && value.startsWith("Bearer ") ? value.slice("Bearer ".length) : null;
}
