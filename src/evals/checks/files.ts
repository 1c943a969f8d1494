// Checks on what a run left in its workspace: a file's content, and a command that ends as it should.

import { join, posix, sep } from "node:path";
import { capLine } from "../../base/text.ts";
import type { Files } from "../../host/files.ts";
import type { Host } from "../../host/host.ts";
import type { CheckOf } from "../check-spec.ts";
import { copyTree } from "../copy-tree.ts";
import { runProgram } from "../program.ts";
import { type Judged, right, wrong } from "./judged.ts";
import { matchesWhole, plainLines, shown } from "./output.ts";

const fileBytesMax = 10 * 1024 * 1024;
const outputBytesMax = 64 * 1024;
const lookMsMax = 10_000;

export async function judgeFile(files: Files, check: CheckOf<"file">, workspace: string): Promise<Judged> {
  const path = posix.normalize(check.path);
  if (posix.isAbsolute(path) || path.startsWith("..")) return wrong(`${path} is not in the workspace`);
  const [root, real] = [await files.realPath(workspace), await files.realPath(join(workspace, path))];
  if (!real.ok) return check.absent ? right(`${path} is not there`) : wrong(`${path} is not there`, "file missing");
  if (check.absent) return wrong(`${path} is there`, "file not removed");
  if (!root.ok || !real.value.startsWith(`${root.value}${sep}`)) return wrong(`${path} leads out of the workspace`);
  const bytes = await files.read(real.value, fileBytesMax);
  if (!bytes.ok) return wrong(`${path}: ${bytes.error.message}`);
  const text = plainLines(Buffer.from(bytes.value).toString("utf8"));
  const { equals, matches } = check;
  if (equals !== undefined && text !== plainLines(equals))
    return wrong(`${path} is ${shown(text)}, not ${shown(plainLines(equals))}`, "other content");
  if (matches !== undefined && !matchesWhole(matches, text))
    return wrong(`${path} does not match: it is ${shown(text)}`, "other content");
  return right(`${path} is as it should be`);
}

export interface CommandPlace {
  readonly workspace: string;
  /** A directory of its own that is not there yet: the command works in a copy, so that it can be run again. */
  readonly scratch: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A bare name at a line's beginning: the check's own program. What has a path lies in the workspace, and is the model's. */
const ownProgram = /^\s*([A-Za-z0-9_][\w.+-]*)(?:\s|$)/;

async function hasProgram(
  host: Pick<Host, "processes" | "clock">,
  run: string,
  { env, cwd, signal }: { readonly env: CommandPlace["env"]; readonly cwd: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const name = ownProgram.exec(run)?.[1];
  if (name === undefined) return true;
  const argv: readonly [string, ...string[]] = ["/bin/sh", "-c", 'command -v -- "$1"', "sh", name];
  const found = await runProgram(host, { argv, cwd, env, msMax: lookMsMax, bytesMax: outputBytesMax, signal });
  return found.ok && found.value.exitCode === 0;
}

/** Null where the command could not be run: that says nothing about the model. */
export async function judgeCommand(
  host: Pick<Host, "files" | "processes" | "clock">,
  check: CheckOf<"command">,
  { workspace, scratch, env }: CommandPlace,
  signal: AbortSignal,
): Promise<Judged | { readonly kind: "not-run"; readonly message: string }> {
  await host.files.remove(scratch);
  const copied = await copyTree(host.files, workspace, scratch);
  if (!copied.ok) return { kind: "not-run", message: `${copied.error.path}: ${copied.error.message}` };
  const ended = await runProgram(host, {
    argv: ["/bin/sh", "-c", check.run],
    cwd: scratch,
    env,
    msMax: check.minutesMax * 60_000,
    bytesMax: outputBytesMax,
    signal,
  });
  await host.files.remove(scratch);
  if (!ended.ok) return { kind: "not-run", message: ended.error };
  const { exitCode, timedOut, aborted, stdout, stderr } = ended.value;
  if (aborted) return { kind: "not-run", message: "it was stopped" };
  // A shell's words for a program that is not there, or not one: which may be the model's, in a script of its own.
  if ((exitCode === 127 || exitCode === 126) && !(await hasProgram(host, check.run, { env, cwd: workspace, signal })))
    return { kind: "not-run", message: capLine(Buffer.from(stderr).toString("utf8"), 300) };
  if (timedOut) return wrong(`\`${check.run}\` did not end within ${check.minutesMax} minutes`, "command timed out");
  if (exitCode === check.exit) return right(`\`${check.run}\` ended with ${exitCode}`);
  const said = capLine(Buffer.concat([stdout, stderr]).toString("utf8"), 300);
  return wrong(`\`${check.run}\` ended with ${exitCode ?? "a signal"}, not ${check.exit}: ${said}`, "command failed");
}
