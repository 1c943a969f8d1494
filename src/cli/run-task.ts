// Where the task of `skein run` comes from: its argument, `-p`, standard input, or both, as users of other agents' commands expect.
// Invariant: what is put in is never cut: it is taken whole or refused.

import { err, ok, type Result } from "../base/result.ts";
import type { Explanation } from "./errors.ts";
import type { Input } from "./input.ts";

/** UTF-8 bytes of standard input. */
const inputBytesMax = 1024 * 1024;
/** For the first byte of an input that only comes along with a task. */
const patienceMs = 3_000;

export interface TaskSources {
  readonly argument: string | undefined;
  /** `true` for `-p` without a text. */
  readonly prompt: string | true | undefined;
  readonly input: Input;
}

export interface TaskText {
  /** Null where none was named: a session that goes on needs none. */
  readonly task: string | null;
  /** A sentence for the person. */
  readonly note: string | null;
}

export async function readTask({ argument, prompt, input }: TaskSources): Promise<Result<TaskText, Explanation>> {
  if (argument !== undefined && typeof prompt === "string" && prompt !== "-")
    return usage("the task is named twice: as an argument and with -p", "leave one of them out");
  const named = argument ?? (typeof prompt === "string" ? prompt : undefined);
  if (named === "-" || (named === undefined && prompt === true)) return wholeInput(input);
  const asked = prompt === true || prompt === "-";
  if (named === undefined || (input.kind !== "piped" && !asked)) return ok({ task: named ?? null, note: null });
  return withInput(named, input, asked);
}

async function wholeInput(input: Input): Promise<Result<TaskText, Explanation>> {
  if (input.terminal)
    return usage(
      "the task is to be read from standard input, which is a terminal",
      'pipe it in, or name it: skein run "fix the failing test"',
    );
  const read = await readInput(input, null);
  return read.ok ? ok({ task: read.value ?? "", note: null }) : read;
}

/** The task in words, and what was piped in as the data that it is about. */
async function withInput(task: string, input: Input, asked: boolean): Promise<Result<TaskText, Explanation>> {
  const read = await readInput(input, asked ? null : patienceMs);
  if (!read.ok) return read;
  if (read.value === null) {
    const note = `nothing came on standard input within ${patienceMs / 1_000} s: the task goes on without it; < /dev/null says that nothing will`;
    return ok({ task, note });
  }
  if (read.value.trim() === "") return ok({ task, note: null });
  return ok({ task: `${task}\n\n<stdin>\n${read.value}\n</stdin>`, note: null });
}

/** Null for an input that stays silent. */
async function readInput(input: Input, patience: number | null): Promise<Result<string | null, Explanation>> {
  const read = await input.read({ bytesMax: inputBytesMax, patienceMs: patience });
  switch (read.kind) {
    case "text":
      return ok(read.text);
    case "silent":
      return ok(null);
    case "too-large":
      return usage(
        `standard input has more than ${inputBytesMax} bytes`,
        "put it into a file of the directory and name it in the task",
      );
    case "not-utf8":
      return usage("standard input is not UTF-8 text", "put it into a file of the directory and name it in the task");
    case "failed":
      return usage(`standard input cannot be read: ${read.message}`, "name the task as an argument");
  }
}

function usage(what: string, next: string): Result<never, Explanation> {
  return err({ what, next, exitCode: 2 });
}
