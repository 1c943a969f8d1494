// The one place that starts git. Invariant: every git process gets the closed environment of `environment.ts`, its output is
// capped, and it has ended when the call answers.

import { err, ok, type Result } from "../../base/result.ts";
import { cleanText } from "../../base/text.ts";
import type { ChildProcess, Processes } from "../../host/processes.ts";
import { type ConfigPair, gitEnvironment, type UserHome } from "./environment.ts";

/** How git is reached: given once by the program's entry. */
export interface Git {
  readonly processes: Processes;
  /** The PATH in which `git` is looked up. */
  readonly path: string;
}

export interface GitCall {
  /** An existing directory of the repository. */
  readonly cwd: string;
  /** The subcommand and its arguments. */
  readonly args: readonly [string, ...string[]];
  readonly config?: readonly ConfigPair[];
  readonly user?: UserHome;
  /** Kills git; the call then answers with an error. */
  readonly signal?: AbortSignal;
}

export interface GitError {
  readonly kind: "git";
  /** The subcommand and its arguments, for people. */
  readonly command: string;
  /** null: git did not start, was killed, or its output made no sense. */
  readonly exitCode: number | null;
  /** What git said, capped and cleaned, or what kept it from running. */
  readonly stderr: string;
}

export type GitResult<T> = Promise<Result<T, GitError>>;

/** A running git: `finish` waits for its end and says whether it went well. */
export interface RunningGit {
  readonly child: ChildProcess;
  finish(): GitResult<void>;
}

/** Default cap of what one command may print. */
const outputBytesMaxDefault = 256 * 1024 * 1024;
const stderrBytesMax = 16 * 1024;
const stderrCharsMax = 2_000;
const commandCharsMax = 300;

/** Runs one command to its end and answers its stdout; a non-zero exit is an error. */
export async function runGit(
  git: Git,
  call: GitCall & { readonly stdin?: Uint8Array; readonly outputBytesMax?: number },
): GitResult<Uint8Array> {
  const started = await startGit(git, call);
  if (!started.ok) return started;
  const { child } = started.value;
  const outputBytesMax = call.outputBytesMax ?? outputBytesMaxDefault;
  const written = call.stdin === undefined ? Promise.resolve(true) : child.write(call.stdin);
  const ended = written.then(() => child.endInput());
  const output = await collect(child.stdout, outputBytesMax);
  if (output === null) child.kill("SIGKILL");
  await ended;
  const finished = await started.value.finish();
  if (output === null) return err(gitError(call, null, `printed more than ${outputBytesMax} bytes`));
  return finished.ok ? ok(output) : finished;
}

/** Starts a command whose input and output the caller streams. The caller reads stdout to its end or kills the child. */
export async function startGit(git: Git, call: GitCall): GitResult<RunningGit> {
  const spawned = await git.processes.spawn({
    argv: ["git", ...call.args],
    cwd: call.cwd,
    env: gitEnvironment({
      path: git.path,
      ...(call.config === undefined ? {} : { config: call.config }),
      ...(call.user === undefined ? {} : { user: call.user }),
    }),
  });
  if (!spawned.ok) return err(gitError(call, null, spawned.error.message));
  const child = spawned.value;
  const kill = () => child.kill("SIGKILL");
  if (call.signal?.aborted) kill();
  call.signal?.addEventListener("abort", kill);
  const stderr = readStart(child.stderr, stderrBytesMax);
  return ok({ child, finish });

  async function finish(): GitResult<void> {
    const [exit, text] = await Promise.all([child.exit, stderr]);
    call.signal?.removeEventListener("abort", kill);
    if (exit.kind === "signal") return err(gitError(call, null, `killed by ${exit.signal}. ${text}`.trim()));
    return exit.code === 0 ? ok(undefined) : err(gitError(call, exit.code, text));
  }
}

export function gitError(call: Pick<GitCall, "args">, exitCode: number | null, stderr: string): GitError {
  const said = stderr.trim();
  const lacks = missingFromPartialClone(said);
  return {
    kind: "git",
    command: cleanText(call.args.join(" "), commandCharsMax),
    exitCode,
    stderr: cleanText(lacks ? `${partialCloneAdvice}\n${said}` : said, stderrCharsMax),
  };
}

const partialCloneAdvice =
  "the repository is a partial clone and lacks objects that are needed; nothing is fetched here: " +
  "`git fetch --refetch --no-filter` brings them, as does a full clone";

/** Whether git wanted to fetch an object that a partial clone left out. */
export function missingFromPartialClone(stderr: string): boolean {
  return stderr.includes("from promisor remote");
}

/** One line of output as text, without its end. */
export function outputLine(output: Uint8Array): string {
  return Buffer.from(output).toString("utf8").replace(/\n$/, "");
}

/** The whole stream, or null beyond `bytesMax`. */
async function collect(stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The first bytes of a stream that is read to its end, so that its writer never stalls. */
async function readStart(stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < bytesMax) chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString("utf8");
}
