// Plays the demo's script with real git and real commands: planners first, then each worker on a checkout that has the
// tasks it waits for and nothing else, so that its check proves just that.

import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commitAll, git, perform, shell, tryGit } from "./checkout.ts";
import type { Call, Script, Task } from "./script.ts";

const turnsMax = 20;

export interface Plan {
  readonly tasks: readonly Task[];
  readonly decisions: readonly string[];
}

export interface Rehearsal {
  readonly script: Script;
  /** The repository, on its base commit. */
  readonly repository: string;
  /** Holds all checkouts. */
  readonly root: string;
}

export async function startRehearsal(script: Script, project: string, root: string): Promise<Rehearsal> {
  const repository = join(root, "base");
  await cp(project, repository, { recursive: true });
  await git(repository, "init", "--quiet", "--initial-branch=main");
  await commitAll(repository, "Import");
  return { script, repository, root };
}

/** Plays a planner, and the subplanners that it delegates to, to their handoffs. */
export async function plan({ script, repository }: Rehearsal, key: string): Promise<Plan> {
  const tasks: Task[] = [];
  const decisions: string[] = [];
  let last = "the goal";
  for (let turn = 1; turn <= turnsMax; turn += 1) {
    const { calls } = script.answer({ role: "planner", taskKeys: [key], turn, last });
    if (calls.some(({ tool }) => tool === "handoff")) return { tasks, decisions };
    const results: string[] = [];
    for (const call of calls) {
      if (call.tool === "decide") decisions.push(call.input.question);
      else if (call.tool === "delegate") tasks.push(...call.input.tasks);
      else results.push(await perform(repository, call));
    }
    last = results.join("\n");
  }
  throw new Error(`planner ${key} makes no handoff`);
}

/** Plays a worker in a checkout of the base with `before` merged into it. Returns that checkout; the work is committed. */
export async function work(rehearsal: Rehearsal, task: Task, before: readonly Task[]): Promise<string> {
  const directory = await checkout(rehearsal, task.key);
  for (const { key } of before) await merge(rehearsal, directory, key);
  let last = "the task";
  for (let turn = 1; turn <= turnsMax; turn += 1) {
    const { calls } = rehearsal.script.answer({ role: "worker", taskKeys: [task.key], turn, last });
    const results: string[] = [];
    for (const call of calls) {
      if (call.tool === "handoff") {
        await commitAll(directory, call.input.message ?? "");
        return directory;
      }
      results.push(await perform(directory, call));
    }
    last = results.join("\n");
  }
  throw new Error(`worker ${task.key} makes no handoff`);
}

/** A checkout of the base on a new branch. */
export async function checkout({ repository, root }: Rehearsal, branch: string): Promise<string> {
  const directory = join(root, branch);
  await git(repository, "worktree", "add", "--quiet", "-b", branch, directory, "main");
  return directory;
}

/** Merges a task's branch. The paths in conflict, which are resolved with the arbiter's last answer. */
export async function merge({ script }: Rehearsal, directory: string, key: string): Promise<string[]> {
  const { exitCode, output } = await tryGit(directory, "merge", "--quiet", "--no-edit", "--no-ff", key);
  if (exitCode === 0) return [];
  const paths = (await git(directory, "diff", "--name-only", "--diff-filter=U")).split("\n").filter(Boolean);
  if (paths.length === 0) throw new Error(output);
  for (const { path, text } of arbiterAnswers(script).at(-1) ?? []) await resolveHunk(join(directory, path), text);
  await commitAll(directory, `Resolve ${key}`);
  return paths;
}

/** The hunks of each answer of the arbiter, in order. */
export function arbiterAnswers(script: Script): { path: string; hunk: number; text: string }[][] {
  return [1, 2].map((turn) => {
    const { calls } = script.answer({ role: "arbiter", taskKeys: ["power", "modulo"], turn, last: "the conflict" });
    return calls.flatMap((call: Call) => (call.tool === "resolve" ? call.input.hunks : []));
  });
}

/** True where a command's exit status is 0. */
export async function passes(directory: string, command: string): Promise<boolean> {
  return (await shell(directory, command)).exitCode === 0;
}

/** Puts a text in the place of a file's only conflict. */
async function resolveHunk(path: string, text: string): Promise<void> {
  const parts = (await readFile(path, "utf8")).split(/^<<<<<<< .*\n(?:.*\n)*?>>>>>>> .*\n/m);
  if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} conflicts`);
  await writeFile(path, parts.join(text));
}
