// Runs ripgrep and hands its output over piece by piece. Ignore rules hold, hidden files are seen, `.git` never is.
// Globs are not given to ripgrep: its `-g` overrides the ignore rules, and ignored files would turn up.

import { join } from "node:path";
import type { ToolAnswer } from "../agent/tool.ts";
import { unreachable } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import { startFault } from "./bash.ts";
import { runChild } from "./child.ts";
import type { ToolEnv } from "./env.ts";
import { type ResolvedPath, resolvePath, sentence } from "./path.ts";

const timeLimitMs = 60_000;
const stderrBytesMax = 4_000;
/** A longer piece (a line of a minified file, say) is dropped, and reported as such. */
const pieceBytesMax = 1024 * 1024;

export interface RgRun {
  readonly args: readonly string[];
  readonly target: ResolvedPath;
  /** The byte that ends a piece of output. */
  readonly separator: number;
  /** Takes one piece, without its separator; null stands for one that was too long. `enough` ends the search. */
  readonly onPiece: (piece: string | null) => "more" | "enough";
}

export interface RgEnd {
  /** What ripgrep could not read; empty if nothing. */
  readonly complaint: string;
  readonly stoppedEarly: boolean;
}

/** Where to search: an existing file or directory. */
export async function searchTarget(env: ToolEnv, given: string | undefined): Promise<Result<ResolvedPath, ToolAnswer>> {
  const path = await resolvePath(env, given ?? ".", "read");
  if (!path.ok) return err({ kind: "error", text: path.error });
  const stat = await env.files.stat(path.value.absolute);
  return stat.ok ? path : err({ kind: "error", text: `${path.value.shown}: ${sentence(stat.error)}` });
}

/** The error is the answer to give: a fault where ripgrep is missing, a cancelled call, a pattern it refused. */
export async function runRg(env: ToolEnv, run: RgRun, signal: AbortSignal): Promise<Result<RgEnd, ToolAnswer>> {
  const take = pieces(run.separator, run.onPiece);
  let stderr = Buffer.alloc(0);
  // Inside a repository ripgrep knows where its ignore files end; outside of one they would otherwise not count.
  const inRepository = await env.files.stat(join(env.root, ".git"));
  const rules = [
    "--no-config",
    "--hidden",
    "--glob=!.git",
    ...(inRepository.ok ? [] : ["--no-require-git"]),
    ...hiding(env),
  ];
  const target = searchArgument(run.target.shown);
  const ended = await runChild(env, {
    spec: {
      argv: [env.rgPath, ...rules, "--sort=path", "--color=never", ...run.args, "--", target],
      cwd: env.root,
      env: env.environment,
    },
    timeLimitMs,
    signal,
    onStdout: async (bytes) => take(bytes),
    onStderr: async (bytes) => {
      if (stderr.length < stderrBytesMax) stderr = Buffer.concat([stderr, bytes]);
      return "more";
    },
  });
  if (!ended.ok) return err(startFault("ripgrep", ended.error));
  const complaint = stderr.subarray(0, stderrBytesMax).toString("utf8").trim();
  if (ended.value.kind === "exited") {
    const end = exited(ended.value.exit, complaint, take.any());
    return end.ok ? ok({ ...end.value, complaint: withHidden(end.value.complaint, env) }) : end;
  }
  switch (ended.value.why) {
    case "enough":
      return ok({ complaint: withHidden("", env), stoppedEarly: true });
    case "cancelled":
      return err({ kind: "cancelled", text: "aborted: the agent was cancelled before the search ended" });
    case "time-limit":
      return err({
        kind: "error",
        text: `the search took longer than ${timeLimitMs} ms and was stopped: narrow it by path or pattern`,
      });
    default:
      return unreachable(ended.value.why);
  }
}

/** Exit code 1 says that nothing was found, which is an answer; with 2 there may be output beside the complaint. */
function exited(
  exit: { kind: string; code?: number },
  complaint: string,
  anyOutput: boolean,
): Result<RgEnd, ToolAnswer> {
  if (exit.code === 0 || exit.code === 1) return ok({ complaint, stoppedEarly: false });
  if (anyOutput) return ok({ complaint, stoppedEarly: false });
  return err({ kind: "error", text: complaint === "" ? "ripgrep ended without an answer" : complaint });
}

interface Pieces {
  (bytes: Uint8Array): "more" | "enough";
  /** Whether any output came. */
  any(): boolean;
}

function pieces(separator: number, onPiece: RgRun["onPiece"]): Pieces {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let any = false;
  const keep = (part: Uint8Array) => {
    pendingBytes += part.length;
    if (pendingBytes <= pieceBytesMax) pending.push(part);
    else pending = [];
  };
  const finish = () => {
    const piece = pendingBytes > pieceBytesMax ? null : Buffer.concat(pending).toString("utf8");
    pending = [];
    pendingBytes = 0;
    return onPiece(piece);
  };
  const take = (bytes: Uint8Array): "more" | "enough" => {
    any = true;
    let from = 0;
    for (let at = bytes.indexOf(separator, from); at >= 0; at = bytes.indexOf(separator, from)) {
      keep(bytes.subarray(from, at));
      from = at + 1;
      if (finish() === "enough") return "enough";
    }
    keep(bytes.subarray(from));
    return "more";
  };
  return Object.assign(take, { any: () => any });
}

/** Exclusions alone leave the ignore rules in force. Names that a file system may not tell apart are one. */
function hiding({ hidden = [] }: ToolEnv): readonly string[] {
  return hidden.map((path) => `--iglob=!/${path.replace(/[\\!]/g, "\\$&")}`);
}

function withHidden(complaint: string, { hidden = [] }: ToolEnv): string {
  if (hidden.length === 0) return complaint;
  const left = `${hidden.join(", ")}: another agent changes it at the same time`;
  return complaint === "" ? left : `${left}; ${complaint}`;
}

/** Always named, since ripgrep would else read its input; never a name that looks like an option. */
function searchArgument(shown: string): string {
  if (shown === ".") return "./";
  return shown.startsWith("/") ? shown : `./${shown}`;
}

/** A path of ripgrep's output as the model is to name it. */
export function relativeName(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/** A path on one line of an answer: quoted as JSON where it has a line break. */
export function lineName(path: string): string {
  return /[\r\n]/.test(path) ? JSON.stringify(path) : path;
}
