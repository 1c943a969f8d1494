// A call whose lease has ended, or whose coordinator has gone, is none that failed: it is made again when the conversation goes on.

import { expect, test } from "vitest";
import { loneCall, type Tool, type ToolAnswer } from "../../../agent/tool.ts";
import { asAgentId, asCallId, asFence, asTaskId } from "../../../base/ids.ts";
import { ok } from "../../../base/result.ts";
import type { PeerError } from "../../../protocol/peer.ts";
import { AskFailed, CoordinatorClient, CoordinatorLost } from "../client.ts";
import { standingTools } from "./standing.ts";

const lease = { task: asTaskId("t1"), agent: asAgentId("a1"), fence: asFence(1) };
const closed: PeerError = { kind: "peer", code: "closed", message: "closed" };

function client(stands: boolean): CoordinatorClient {
  return new CoordinatorClient({
    // The coordinator's answer to the one question that is asked here.
    ask: async (_body, parser) => ok(parser({ stands }, "answer")),
    notify: () => undefined,
    close: () => undefined,
  });
}

function tool(run: () => Promise<ToolAnswer>): Tool {
  return { spec: { name: "t", description: "", inputSchema: {} }, effect: "exclusive", run };
}

async function answerOf(run: () => Promise<ToolAnswer>, { stands = true, aborted = false } = {}): Promise<ToolAnswer> {
  const signal = aborted ? AbortSignal.abort() : new AbortController().signal;
  const [standing] = standingTools(client(stands), lease, [tool(run)]);
  if (standing === undefined) throw new Error("a tool for a tool");
  return standing.run({}, loneCall({ agent: lease.agent, callId: asCallId("c"), signal }));
}

test("what is refused counts while the lease stands, and is cancelled when it has ended", async () => {
  const refused = async (): Promise<ToolAnswer> => ({ kind: "error", text: "not accepted" });
  expect([await answerOf(refused), await answerOf(refused, { stands: false })]).toEqual([
    { kind: "error", text: "not accepted" },
    { kind: "cancelled", text: "not accepted" },
  ]);
  const done = async (): Promise<ToolAnswer> => ({ kind: "end", text: "landed", value: 1 });
  expect(await answerOf(done, { stands: false })).toEqual({ kind: "end", text: "landed", value: 1 });
});

test("a question that the coordinator did not live to answer is cancelled; one that failed there is not", async () => {
  const throws = (error: Error) => async (): Promise<ToolAnswer> => Promise.reject(error);
  expect(await answerOf(throws(new CoordinatorLost(closed)))).toEqual({
    kind: "cancelled",
    text: "cancelled: the coordinator cannot be reached: closed",
  });
  const failed = new AskFailed("commit", { ...closed, code: "failed" });
  expect(await answerOf(throws(failed), { aborted: true })).toMatchObject({ kind: "cancelled" });
  await expect(answerOf(throws(failed))).rejects.toBe(failed);
});
