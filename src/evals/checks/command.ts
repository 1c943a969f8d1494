// A check by a command that ends as it should in what a run left. Whose fault it is that it does not is told by controls: the same command,
// there and then, where it must pass (the right solution's workspace) and where it must not (the wrong one's). What they do not bear out is
// not judged, since a program that is missing or broken says nothing about a model.

import { join } from "node:path";
import { textWithoutSecrets } from "../../base/secrets.ts";
import { capLine } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import type { Sandbox } from "../../host/sandbox.ts";
import type { CheckOf } from "../check-spec.ts";
import { copyTree } from "../copy-tree.ts";
import { type EndedProgram, runProgram } from "../program.ts";
import { type Judged, right, wrong } from "./judged.ts";

const outputBytesMax = 64 * 1024;
const saidChars = 300;

export interface CommandHost extends Pick<Host, "files" | "processes" | "clock"> {
  /** Where commands run, which start what a model wrote; null where the person wants none. */
  readonly sandbox: Sandbox | null;
  /** Keys, in all the forms in which they are written: in no detail of a verdict. */
  readonly secrets: readonly string[];
}

export interface Controls {
  /** The right solution's workspace; null where there is none. */
  readonly right: string | null;
  /** The wrong solution's, and the names of the checks that it failed when the suite was tried; `tried` are those that it failed again. */
  readonly wrong: { readonly workspace: string; readonly fails: readonly string[]; readonly tried: Set<string> } | null;
}

export interface CommandPlace {
  readonly workspace: string;
  /** A directory of its own that is not there yet: the command works in a copy, with a home of its own. */
  readonly scratch: string;
  /** Without a home and a temporary directory. */
  readonly env: Readonly<Record<string, string>>;
  /** Null for the solutions themselves, whose outcome is believed. */
  readonly controls: Controls | null;
}

export interface NotRun {
  readonly kind: "not-run";
  readonly message: string;
}

export async function judgeCommand(
  host: CommandHost,
  check: CheckOf<"command">,
  { workspace, scratch, env, controls }: CommandPlace,
  signal: AbortSignal,
): Promise<Judged | NotRun> {
  const attempt = (place: string) => attemptIn(host, check, { workspace: place, scratch, env }, signal);
  const first = await attempt(workspace);
  if ("kind" in first || controls === null) return first;
  if (first.passed) {
    const { wrong: control } = controls;
    if (control === null || !control.fails.includes(check.name) || control.tried.has(check.name)) return first;
    const there = await attempt(control.workspace);
    if ("kind" in there) return there;
    if (there.passed)
      return notRun(
        "it passes on the wrong solution too, which failed it when the suite was tried: it tells nothing apart",
      );
    control.tried.add(check.name);
    return first;
  }
  if (controls.right === null)
    return notRun(
      `${first.detail}; whether that is the model's cannot be told: the right solution's workspace is missing`,
    );
  const control = await attempt(controls.right);
  if ("kind" in control) return control;
  if (!control.passed) return notRun(`it fails on the right solution too: ${control.detail}`);
  const again = await attempt(workspace);
  if ("kind" in again) return again;
  return again.passed ? notRun("it failed once and passed once on the same files") : again;
}

const notRun = (message: string): NotRun => ({ kind: "not-run", message });

async function attemptIn(
  host: CommandHost,
  check: CheckOf<"command">,
  { workspace, scratch, env }: Omit<CommandPlace, "controls">,
  signal: AbortSignal,
): Promise<Judged | NotRun> {
  const { files } = host;
  const [home, temporary, tree] = [join(scratch, "home"), join(scratch, "tmp"), join(scratch, "workspace")];
  await files.remove(scratch);
  const made = [await files.makeDirectory(home), await files.makeDirectory(temporary)].find((one) => !one.ok);
  const copied = made ?? (await copyTree(files, workspace, tree));
  if (!copied.ok) return notRun(`${copied.error.path}: ${copied.error.message}`);
  const ended = await run(host, check, { scratch, tree, env: { ...env, HOME: home, TMPDIR: temporary } }, signal);
  await files.remove(scratch);
  if (!ended.ok) return notRun(ended.error);
  return outcomeOf(check, ended.value, host.secrets);
}

async function run(
  { processes, clock, sandbox, files }: CommandHost,
  { run: command, minutesMax }: CheckOf<"command">,
  { scratch, tree, env }: { readonly scratch: string; readonly tree: string; readonly env: CommandPlace["env"] },
  signal: AbortSignal,
) {
  const real = await files.realPath(scratch);
  const root = real.ok ? real.value : scratch;
  const box = { root, writable: true, guarded: [], temporary: join(root, "tmp"), shown: [] };
  return runProgram(
    { clock, processes: sandbox === null ? processes : sandbox.processesIn(box) },
    {
      argv: ["/bin/sh", "-c", command],
      cwd: tree,
      env: { ...env, ...sandbox?.environment },
      msMax: minutesMax * 60_000,
      bytesMax: outputBytesMax,
      signal,
    },
  );
}

function outcomeOf(
  { run: command, exit, minutesMax }: CheckOf<"command">,
  { exitCode, timedOut, aborted, stdout, stderr }: EndedProgram,
  secrets: readonly string[],
): Judged | NotRun {
  if (aborted) return notRun("it was stopped");
  if (timedOut) return wrong(`\`${command}\` did not end within ${minutesMax} minutes`, "command timed out");
  if (exitCode === exit) return right(`\`${command}\` ended with ${exitCode}`);
  const said = textWithoutSecrets(Buffer.concat([stdout, stderr]).toString("utf8"), secrets);
  return wrong(
    `\`${command}\` ended with ${exitCode ?? "a signal"}, not ${exit}: ${capLine(said, saidChars)}`,
    "command failed",
  );
}
