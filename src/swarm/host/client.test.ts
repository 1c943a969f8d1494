// What a worker host makes of questions that are not answered.

import { describe, expect, it } from "vitest";
import { asAgentId, asBlobId, asCommitKey, asFence, asPosition, asTaskId } from "../../base/ids.ts";
import { parse } from "../../base/parse.ts";
import { err, ok, unwrap } from "../../base/result.ts";
import type { Peer, PeerError } from "../../protocol/peer.ts";
import { AskFailed, CoordinatorClient, CoordinatorLost } from "./client.ts";

const lease = { task: asTaskId("t1"), agent: asAgentId("a1"), fence: asFence(1) };
const work = {
  key: asCommitKey("k"),
  base: asPosition(1),
  message: "",
  changes: [],
  blobs: [],
  outsideScopeReason: null,
};

function clientOf(answer: (body: object) => unknown | PeerError): CoordinatorClient {
  const peer: Peer = {
    async ask(body, parser) {
      const value = answer(body);
      if (isError(value)) return err(value);
      return ok(unwrap(parse(parser, value, "answer"), "answer"));
    },
    notify: () => undefined,
    close: () => undefined,
  };
  return new CoordinatorClient(peer);
}

function isError(value: unknown): value is PeerError {
  return typeof value === "object" && value !== null && "code" in value;
}

const failing = (code: PeerError["code"]) => clientOf(() => ({ kind: "peer", code, message: "why" }));

describe("CoordinatorClient", () => {
  it("tells a lost coordinator from a question that failed", async () => {
    await expect(failing("closed").ask({ kind: "suspend", lease })).rejects.toThrow(CoordinatorLost);
    for (const code of ["failed", "bad-message", "too-large"] as const) {
      await expect(failing(code).ask({ kind: "suspend", lease })).rejects.toThrow(AskFailed);
    }
  });

  it("S25 takes contents too large to be sent as refused, so that the agent can act on it", async () => {
    const refused = { kind: "refused", reason: "too much at once: why" };
    expect([
      await failing("too-large").ask({ kind: "commit", lease, work }),
      await failing("too-large").ask({ kind: "resolve", lease, work, discarded: [] }),
    ]).toEqual([refused, refused]);
  });

  it("asks on for blobs until all are here", async () => {
    const asked: number[] = [];
    const client = clientOf((body) => {
      const { ids } = body as { ids: readonly string[] };
      asked.push(ids.length);
      return { blobs: ids.slice(0, 100).map((id) => Buffer.from(id)) };
    });
    const ids = Array.from({ length: 300 }, (_, index) => asBlobId(`b${index}`));
    const blobs = await client.get(ids);
    expect([blobs.map((blob) => Buffer.from(blob).toString()), asked]).toEqual([ids, [256, 200, 100]]);
  });
});
