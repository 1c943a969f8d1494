// Whether every file that was read came back as it is, under the call that asked for it: a result that was lost, doubled or swapped with
// another call's shows here, whatever the answer says.

import { join, posix } from "node:path";
import type { Files } from "../../host/files.ts";
import { type ReadArguments, readArguments } from "../call-path.ts";
import type { AgentTranscript } from "../transcript.ts";
import { type Judged, right, wrong } from "./judged.ts";

const readTool = "read_file";
const fileBytesMax = 10 * 1024 * 1024;
const lineCutFrom = 2_000;

interface Read {
  readonly agent: string;
  readonly callId: string;
  readonly asked: ReadArguments;
  readonly text: string;
}

/** `workspace` is what the task began with; a file that the run changed is not compared. */
export async function judgeResults(
  files: Files,
  { workspace, after }: { readonly workspace: string; readonly after: string },
  agents: readonly AgentTranscript[],
): Promise<Judged> {
  const lost = agents.flatMap(unanswered);
  if (lost.length > 0) return wrong(`without exactly one result: ${lost.join(", ")}`, "results lost or doubled");
  const reads = agents.flatMap(readsOf);
  const contents = new Map<string, readonly string[]>();
  for (const { asked } of reads) {
    const path = posix.normalize(asked.path);
    const lines = contents.has(path) ? null : await linesOf(files, { workspace, after }, path);
    if (lines !== null) contents.set(path, lines);
  }
  for (const read of reads) {
    const lines = contents.get(posix.normalize(read.asked.path));
    if (lines === undefined || isPage(read, lines)) continue;
    const other = [...contents].find(([, content]) => isPage(read, content))?.[0];
    const who = `${read.agent} ${read.callId} asked for ${read.asked.path}`;
    if (other === undefined) return wrong(`${who} and got something else`, "a result differs from its file");
    return wrong(`${who} and got ${other}`, "results swapped");
  }
  return right(`${reads.length} results are what their files hold`);
}

/** Calls of an agent's answers with no result, or more than one. An agent that was stopped amid its calls has an end that says so. */
function unanswered({ id, messages, results, end }: AgentTranscript): readonly string[] {
  if (end === null || end.outcome === "cancelled") return [];
  return messages.flatMap(({ turn, message }) =>
    message.role === "user"
      ? []
      : message.calls.flatMap(({ id: callId }, index) => {
          const own = results.filter((result) => result.turn === turn && result.index === index);
          return own.length === 1 && own[0]?.call_id === callId ? [] : [`${id} ${callId}`];
        }),
  );
}

function readsOf({ id, messages, results }: AgentTranscript): readonly Read[] {
  return messages.flatMap(({ turn, message }) =>
    message.role === "user"
      ? []
      : message.calls.flatMap(({ id: callId, name, arguments: given }, index) => {
          const asked = name === readTool ? readArguments(given) : null;
          const result = results.find((own) => own.turn === turn && own.index === index);
          const usable = asked !== null && result !== undefined && !result.is_error;
          return usable ? [{ agent: id, callId, asked, text: result.text }] : [];
        }),
  );
}

/** As read_file shows a file: each line's number, a tab and its text, then notes in brackets. */
function isPage({ asked, text }: Read, lines: readonly string[]): boolean {
  if (text === "(the file is empty)") return lines.length === 0;
  const shown = text.split("\n").filter((line) => /^\s*\d+\t/.test(line));
  if (shown.length === 0) return /^\(the file has/.test(text) && asked.offset > lines.length;
  const last = Math.min(lines.length, asked.limit === null ? lines.length : asked.offset - 1 + asked.limit);
  const whole = shown.length === last - asked.offset + 1 || /\[.*lines \d+-\d+ of \d+/s.test(text);
  return whole && shown.every((line, index) => isLine(line, asked.offset + index, lines[asked.offset + index - 1]));
}

function isLine(shown: string, number: number, line: string | undefined): boolean {
  const [, says, text = ""] = /^\s*(\d+)\t(.*)$/s.exec(shown) ?? [];
  if (line === undefined || Number(says) !== number) return false;
  return text === line || (line.length > lineCutFrom && text.startsWith(line.slice(0, lineCutFrom)));
}

/** Null for what is not there, is not inside, or was changed. */
async function linesOf(
  files: Files,
  { workspace, after }: { readonly workspace: string; readonly after: string },
  path: string,
): Promise<readonly string[] | null> {
  if (posix.isAbsolute(path) || path.startsWith("..")) return null;
  const [before, now] = [
    await files.read(join(workspace, path), fileBytesMax),
    await files.read(join(after, path), fileBytesMax),
  ];
  if (!before.ok || !now.ok || Buffer.compare(before.value, now.value) !== 0) return null;
  // As read_file shows it: without a byte order mark.
  const lines = new TextDecoder().decode(before.value).replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
