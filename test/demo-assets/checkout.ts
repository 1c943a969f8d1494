// A directory in which a scripted agent works: the tools that the script uses, done with real git and real commands.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Call } from "./script.ts";

export interface Finished {
  readonly exitCode: number;
  /** Standard output, then standard error. */
  readonly output: string;
}

const outputBytesMax = 10 * 1024 * 1024;

/** Runs a shell command; any exit status is an answer. */
export function shell(directory: string, command: string): Promise<Finished> {
  // Without --norc bash takes the pipe at its standard input for a remote shell's and reads the user's ~/.bashrc.
  return execute("bash", ["--norc", "-c", command], directory);
}

/** Runs git with nobody's configuration; the answer is its output. Throws where it fails. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const { exitCode, output } = await tryGit(directory, ...args);
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${output}`);
  return output;
}

export function tryGit(directory: string, ...args: string[]): Promise<Finished> {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "merge.conflictStyle=merge"];
  return execute("git", [...identity, ...args], directory);
}

/** Does one call of a worker or one of a planner's reads, and returns its result. Throws where the call would fail. */
export async function perform(directory: string, { tool, input }: Call): Promise<string> {
  switch (tool) {
    case "read_file": {
      const lines = (await readFile(join(directory, input.path), "utf8")).split("\n");
      const first = (input.offset ?? 1) - 1;
      if (first >= lines.length) throw new Error(`${input.path} has only ${lines.length} lines`);
      return lines.slice(first, input.limit === undefined ? undefined : first + input.limit).join("\n");
    }
    case "glob":
      return git(directory, "ls-files", "--", `:(glob)${input.pattern}`);
    case "grep":
      return (await tryGit(directory, "grep", "-n", "-E", input.pattern, "--", input.path ?? ".")).output;
    case "edit_file":
      for (const { old_string, new_string } of input.edits) {
        await replaceOnce(join(directory, input.path), old_string, new_string);
      }
      return "edited";
    case "write_file":
      await writeFile(join(directory, input.path), input.content);
      return "written";
    case "bash":
      return (await shell(directory, input.command)).output;
    case "commit":
      await commitAll(directory, input.message);
      return "committed";
    default:
      throw new Error(`not a tool of a checkout: ${tool}`);
  }
}

/** Throws where nothing has changed. */
export async function commitAll(directory: string, message: string): Promise<void> {
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--message", message);
}

async function replaceOnce(path: string, old: string, replacement: string): Promise<void> {
  const parts = (await readFile(path, "utf8")).split(old);
  if (parts.length !== 2) throw new Error(`${path}: ${parts.length - 1} places have\n${old}`);
  await writeFile(path, parts.join(replacement));
}

function execute(file: string, args: readonly string[], cwd: string): Promise<Finished> {
  // Nothing of this test's own runner: a `node --test` that sees it behaves differently.
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd, env, maxBuffer: outputBytesMax }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") return reject(error);
      resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}
