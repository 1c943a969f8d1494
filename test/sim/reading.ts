// Readings of a run's log that owe nothing to the folds: who held which lease when a record was written, who landed, what was billed.

import { nullable, object, type Parser, parse, real, text } from "../../src/base/parse.ts";
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
