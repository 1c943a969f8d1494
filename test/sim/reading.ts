// Readings of a run's log that owe nothing to the folds: who held which lease when a record was written, who landed, what was billed.

import {
  either,
  flag,
  list,
  nullable,
  object,
  oneOf,
  type Parsed,
  type Parser,
  parse,
  real,
  text,
  union,
} from "../../src/base/parse.ts";
import { unwrap } from "../../src/base/result.ts";
import type { StoredRecord } from "../../src/log/log.ts";

const id = text(64);
const author = object({ agent: id, task: id });
const lease = object({ task: id, agent: id, fence: real });
const authored = object({ author });
const landed = object({ author, resolves: nullable(object({ resolved_by: author })) });
const ofTask = object({ task: id });

function read<T>(parser: Parser<T>, record: StoredRecord): T {
  return unwrap(parse(parser, record.data, record.type), `record ${record.position}`);
}

/** Leases that are granted twice at once or with a number that does not grow, and results that no lease stood behind. */
export function leaseFaults(records: readonly StoredRecord[]): readonly string[] {
  const held = new Map<string, string>();
  const faults: string[] = [];
  let last = 0;
  const mustHold = ({ agent, task }: { readonly agent: string; readonly task: string }, record: StoredRecord) => {
    if (held.get(task) !== agent)
      faults.push(`${record.position}: ${record.type} of ${agent} without a lease on ${task}`);
  };
  for (const record of records) {
    switch (record.type) {
      case "task_leased": {
        const { task, agent, fence } = read(lease, record);
        if (held.has(task)) faults.push(`${record.position}: ${task} is leased twice`);
        if (fence <= last) faults.push(`${record.position}: the fence ${fence} does not grow`);
        held.set(task, agent);
        last = fence;
        break;
      }
      case "commit": {
        const { resolves, ...own } = read(landed, record);
        mustHold(resolves?.resolved_by ?? own.author, record);
        break;
      }
      case "commit_unchanged":
      case "conflict":
      case "conflict_joined":
      case "conflict_resolved":
        mustHold(read(authored, record).author, record);
        break;
      case "lease_ended":
      case "task_suspended":
      case "task_done":
      case "task_failed":
      case "task_conflicted":
      case "task_dropped":
        held.delete(read(ofTask, record).task);
        break;
    }
  }
  return faults;
}

/** Ids of the tasks whose commits landed, sorted. */
export function landedTasks(records: readonly StoredRecord[]): readonly string[] {
  const tasks = records.filter(({ type }) => type === "commit").map((record) => read(authored, record).author.task);
  return [...new Set(tasks)].sort();
}

/** What happened to which task, in order: one seed's course against another's. */
export function course(records: readonly StoredRecord[]): readonly string[] {
  return records
    .filter(({ type }) => type.startsWith("task_") || type === "model_request")
    .map((record) => `${record.type} ${read(ofTask, record).task}`);
}

const lost = object({ task: id, agent: id, fence: real, workspace: nullable(text(4_096)) });

/** The leases that ended without a result. */
export function leasesLost(records: readonly StoredRecord[]) {
  return records.filter(({ type }) => type === "lease_ended").map((record) => read(lost, record));
}

const abandoned = object({ workspace: nullable(text(4_096)), fresh: flag });

/** Names of the workspaces whose agent did not go on, and that are said to be kept. */
export function abandonedWorkspaces(records: readonly StoredRecord[]): readonly string[] {
  const ends = records.filter(({ type }) => type === "lease_ended").map((record) => read(abandoned, record));
  return ends.flatMap(({ fresh, workspace }) =>
    fresh ? (/^\/run\/workspaces\/([^/]+)/.exec(workspace ?? "")?.[1] ?? []) : [],
  );
}

const ended = object({ agent: id, transcript: nullable(object({ path: text(4_096), bytes: real, sha256: id })) });

/** The last transcript of each agent, as its end was recorded. */
export function transcripts(records: readonly StoredRecord[]) {
  const last = records.filter(({ type }) => type === "agent_ended").map((record) => read(ended, record));
  return [...new Map(last.map((end) => [end.agent, end.transcript])).values()];
}

const request = object({ agent: id, task: id, turn: real });

export function requestOf(record: StoredRecord) {
  return record.type === "model_request" ? read(request, record) : null;
}

const figure = either(real, oneOf("unavailable"));
const bill = object({
  agent: id,
  turn: real,
  role: oneOf("planner", "worker", "arbiter"),
  input_tokens: figure,
  cached_tokens: figure,
  output_tokens: figure,
  cost_usd: figure,
  failed: nullable(text(4_000)),
});

/** The requests in the bill that were answered. */
export function answeredRequests(records: readonly StoredRecord[]) {
  return records
    .filter(({ type }) => type === "model_request")
    .map((record) => read(bill, record))
    .filter(({ failed }) => failed === null);
}

/** Of `agent turn` pairs, those that are there more than once. */
export function repeated(requests: readonly { readonly agent: string; readonly turn: number }[]): readonly string[] {
  const names = requests.map(({ agent, turn }) => `${agent} ${turn}`);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Turns whose answer is in the transcript. */
export function answeredTurns(transcript: string): readonly number[] {
  return transcript.split("\n").flatMap((line) => {
    const turn = /^\{"type":"request",.*?"turn":(\d+),.*?"outcome":"(?:end|calls|length)"/.exec(line)?.[1];
    return turn === undefined ? [] : [Number(turn)];
  });
}

const added = object({ task: id, key: text(1_000) });
const path = text(4_096);
const change = union({ put: object({ path, blob: text(64) }), delete: object({ path }) });
const commit = object({ author, changes: list(change, 10_000) });

/** What each task landed, commit by commit: its key and path by path the content, but for paths that several tasks changed. */
export function landedWork(records: readonly StoredRecord[]): readonly string[] {
  const keys = new Map<string, string>();
  const commits: { readonly key: string; readonly changes: readonly Parsed<typeof change>[] }[] = [];
  const owners = new Map<string, Set<string>>();
  for (const record of records) {
    if (record.type === "task_added") {
      const { task, key } = read(added, record);
      keys.set(task, key);
    }
    if (record.type !== "commit") continue;
    const { author, changes } = read(commit, record);
    const key = keys.get(author.task) ?? author.task;
    commits.push({ key, changes });
    for (const { path } of changes) owners.set(path, (owners.get(path) ?? new Set()).add(key));
  }
  const shown = (one: Parsed<typeof change>): string =>
    owners.get(one.path)?.size === 1 ? `${one.path} ${one.kind === "put" ? one.blob : "deleted"}` : one.path;
  return commits.map(({ key, changes }) => `${key}: ${changes.map(shown).sort().join(", ")}`).sort();
}
