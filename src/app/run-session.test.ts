// Where a run goes on whose agent had said its last words: it waits again for children in the background, or has nothing left to do.

import { expect, test } from "vitest";
import { childLine } from "../agent/delegation-record.ts";
import { openSessionLog } from "../agent/session-log.ts";
import { asAgentId, asCallId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { simHost } from "../testing/sim/host.ts";
import { resumedSession } from "./run-session.ts";
import { soloAgent, soloTranscript } from "./solo-facts.ts";
import { runDirectories } from "./state-directory.ts";

test("H5 a run that was killed while it waited for a child in the background waits again, until it had the result", async () => {
  const { files } = simHost({ seed: 1 });
  const directories = runDirectories("/run");
  unwrap(await files.makeDirectory(directories.agents), "agents");
  const log = unwrap(
    await openSessionLog(files, soloTranscript(directories), { agent: soloAgent, parent: null }),
    "log",
  );
  const said = { role: "assistant", text: "I wait.", calls: [] } as const;
  for (const message of [{ role: "user", text: "go" } as const, said])
    unwrap(await log.append({ kind: "message", turn: 1, atMs: 1, message }), "message");
  unwrap(await log.close(), "close");
  const request = {
    task: "x",
    context: "task-only",
    model: null,
    isolation: "shared",
    writeScope: [],
    background: true,
  } as const;
  const child = asAgentId("a1");
  const at = { child, parent: soloAgent, seq: 1, callId: asCallId("c"), turn: 1, index: 0, queuedAtMs: 1, request };
  const entries = [
    { kind: "asked", asked: at },
    { kind: "begun", child },
    { kind: "told", child },
  ] as const;
  const after = async (count: number, next: string | null) => {
    const text = entries.slice(0, count).map(childLine).join("\n");
    unwrap(await files.write("/run/children.jsonl", Buffer.from(`${text}\n`)), "children");
    const session = await resumedSession(files, { directories, started: "go", next, toldLast: null }, []);
    return session.ok ? [session.value.waiting, session.value.messages.length] : session.error.kind;
  };
  expect([await after(1, null), await after(2, null), await after(2, "and now?"), await after(3, null)]).toEqual([
    "needs-task",
    [true, 2],
    [false, 3],
    "needs-task",
  ]);
});
