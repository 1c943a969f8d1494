// Runs with children on a simulated machine that are killed at seeded moments and started again until they are over, and what is left
// of them: files, records, what the parent was told.

import { loadSession } from "../../agent/session-load.ts";
import { unwrap } from "../../base/result.ts";
import type { ModelRequest } from "../../model/provider.ts";
import { type SimHost, simHost } from "../sim/host.ts";
import { seededRandom } from "../sim/random.ts";
import { runDelegating } from "./delegating-run.ts";
import { type Answered, type Answering, delegate, taskOf } from "./family-rig.ts";
import { call } from "./rig.ts";

const killsMax = 6;
/** About as many as a whole run has. */
const operationsMax = 250;
const apart = { isolation: "workspace" } as const;
const later = { ...apart, background: true } as const;

/** The parent asks for two children with copies, one that reads and one in the background; each child makes two steps. */
const answering: Answering = (request): Answered => {
  const { agent, turn } = request.context;
  if (agent !== "a0") return childStep(taskOf(request), request);
  if (turn === 1)
    return {
      afterMs: 5,
      calls: [
        delegate("c0", "one", apart),
        delegate("c1", "reads"),
        delegate("c2", "two", apart),
        delegate("c3", "late", later),
      ],
    };
  if (turn === 2) return { afterMs: 5, calls: [call("w", "wait_task")] };
  return { afterMs: 5, say: "all is there" };
};

/** Goes by what it sees: a call that was interrupted is made again, as a model would. */
function childStep(task: string, request: ModelRequest): Answered {
  const afterMs = 7 + 6 * task.length;
  const results = request.messages.flatMap((message) => (message.role === "tool" ? [...message.results] : []));
  const done = new Set(results.filter(({ text }) => !text.startsWith("interrupted")).map(({ callId }) => callId));
  const edits = [{ old_string: `${task}\n`, new_string: `${task} is changed\n` }];
  const steps =
    task === "reads"
      ? [[call("r1", "read_file", { path: "text" })], [call("r2", "read_file", { path: "text", offset: 2 })]]
      : [
          [call("w1", "write_file", { path: `${task}-1.txt`, content: task })],
          [
            call("w2", "write_file", { path: `${task}-2.txt`, content: task }),
            call("e", "edit_file", { path: "text", edits }),
          ],
        ];
  const calls = steps.map((step) => step.filter(({ id }) => !done.has(id))).find((step) => step.length > 0);
  return calls === undefined ? { afterMs, say: `${task} is through` } : { afterMs, calls };
}

export async function toEnd(host: SimHost, requests: ModelRequest[]) {
  unwrap(await host.files.makeDirectory("/root"), "root");
  if (!(await host.files.stat("/root/text")).ok)
    unwrap(await host.files.write("/root/text", Buffer.from("one\n\n\n\ntwo\n\n\n\nlate\n")), "text");
  return runDelegating({ host, root: "/root", run: "/run", path: "/bin", rgPath: "/rg", answering, requests });
}

/** The host, whose program is killed when it begins its `n`th operation on files. */
function killedAt(host: SimHost, n: number, onKill: () => void): SimHost {
  let operations = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    operations += 1;
    if (operations === n) {
      host.kill();
      onKill();
    }
    return operations >= n ? new Promise(() => {}) : work();
  };
  const { files } = host;
  const open: SimHost["files"]["open"] = (path, mode, options) =>
    counted(async () => {
      const opened = await files.open(path, mode, options);
      if (!opened.ok) return opened;
      const handle = opened.value;
      return { ok: true, value: { ...handle, append: (chunks) => counted(() => handle.append(chunks)) } } as const;
    });
  return {
    ...host,
    files: {
      ...files,
      open,
      read: (...args) => counted(() => files.read(...args)),
      write: (...args) => counted(() => files.write(...args)),
      copy: (...args) => counted(() => files.copy(...args)),
      rename: (...args) => counted(() => files.rename(...args)),
      remove: (...args) => counted(() => files.remove(...args)),
      removeEmptyDirectory: (...args) => counted(() => files.removeEmptyDirectory(...args)),
      makeDirectory: (...args) => counted(() => files.makeDirectory(...args)),
      claimDirectory: (...args) => counted(() => files.claimDirectory(...args)),
    },
  };
}

/** Kills the program so often, each time after a seeded number of its operations, and lets it run to its end. */
export async function killed(seed: number) {
  const machine = simHost({ seed });
  const random = seededRandom(seed, "kills");
  let kills = 1 + Math.floor(random.unit() * killsMax);
  let done = 0;
  for (;;) {
    const process = machine.newProcess();
    const isOver = await endsStopped(process);
    if (isOver) return { process, kills: done };
    const { promise, resolve } = Promise.withResolvers<"killed">();
    const n = kills > 0 ? 1 + Math.floor(random.unit() * operationsMax) : Number.POSITIVE_INFINITY;
    const over = toEnd(
      killedAt(process, n, () => resolve("killed")),
      [],
    ).then(() => "over" as const);
    if ((await machine.run(Promise.race([over, promise]))) === "killed") done += 1;
    kills -= 1;
  }
}

/** Its last answer is there: nothing is left to do. */
async function endsStopped({ files }: SimHost): Promise<boolean> {
  const loaded = await loadSession(files, "/run/agents/a0.jsonl");
  const last = loaded.ok ? loaded.value.messages.at(-1) : undefined;
  return last?.role === "assistant" && last.text === "all is there";
}

export async function left(host: SimHost) {
  const names = unwrap(await host.files.list("/root", 100), "list").map(({ name }) => name);
  const read = async (path: string) => Buffer.from(unwrap(await host.files.read(path, 1_000_000), path)).toString();
  const lines = async (path: string) =>
    (await read(path))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const askedAgain: string[] = [];
  for (const agent of ["a0", "a1", "a2", "a3", "a4"]) {
    const own = await lines(`/run/agents/${agent}.jsonl`);
    const turns = own.flatMap((line) =>
      line.type === "message" && line.message.role === "assistant" ? [line.turn] : [],
    );
    if (new Set(turns).size !== turns.length) askedAgain.push(`${agent}: ${turns}`);
  }
  const records = await lines("/run/delegations.jsonl");
  const results = new Map<string, string>();
  for (const line of await lines("/run/agents/a0.jsonl"))
    if (line.type === "result" && line.turn === 1) results.set(`${line.turn}.${line.index}`, line.text);
  // As the answer of wait_task or as a message, as it happens.
  const history = unwrap(await loadSession(host.files, "/run/agents/a0.jsonl"), "history").messages;
  return {
    results: [...results].sort(),
    lateTold: JSON.stringify(history).split("late is through").length - 1,
    files: await Promise.all(names.map(async (name) => [name, await read(`/root/${name}`)])),
    askedAgain,
    outcomes: records.map(({ seq, child_id, outcome }) => [seq, child_id, outcome]).sort((a, b) => a[0] - b[0]),
    copies: unwrap(await host.files.list("/run/workspaces", 100), "list")
      .map(({ name }) => name)
      .filter((name) => name.startsWith("a")),
  };
}
