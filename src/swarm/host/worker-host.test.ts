// A worker host against a coordinator that the test plays: it leaves rather than hold what it cannot do or cannot report.

import { describe, expect, it } from "vitest";
import { asAgentId, asFence, asHostId, asPosition, asTaskId } from "../../base/ids.ts";
import { ok, type Result, unwrap } from "../../base/result.ts";
import type { Provider } from "../../model/provider.ts";
import { USAGE_UNKNOWN } from "../../model/usage.ts";
import type { HostAsk, Job } from "../../protocol/messages.ts";
import { openPeer, type Peer } from "../../protocol/peer.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import { serveWorkerHost } from "./worker-host.ts";

const job: Job = {
  lease: { task: asTaskId("t1"), agent: asAgentId("a1"), fence: asFence(1) },
  role: "worker",
  keys: ["t1"],
  model: "m",
  snapshot: asPosition(1),
  system: "",
  prompt: "do it",
  resume: "new",
  wakes: false,
  answeredTurn: 0,
  outputTokensMax: 1_000,
  check: null,
  conflict: null,
  answersRefused: 0,
  turnsMax: 10,
};

const talker: Provider = {
  name: "m",
  scripted: true,
  price: null,
  async *request() {
    yield { kind: "text", text: "I am done" };
    yield { kind: "done", stop: "end", usage: USAGE_UNKNOWN };
  },
};

interface Played {
  readonly sim: SimHost;
  readonly served: Promise<Result<void, string>>;
  readonly asked: HostAsk[];
  readonly closes: string[];
  peer(): Promise<Peer>;
}

type Play = (ask: HostAsk) => unknown;

const usual: Play = (ask) => {
  switch (ask.kind) {
    case "hello":
      return { kind: "welcome", run: "r", beatMs: 1_000 };
    case "tree":
      return { entries: [] };
    case "resume_info":
      return { commits: [] };
    case "request_begin":
      return { kind: "go", outputTokensMax: ask.outputTokensMax };
    default:
      return {};
  }
};

async function play(answer: Play): Promise<Played> {
  const sim = simHost({ seed: 1 });
  await sim.files.makeDirectory("/agents");
  const accepted = Promise.withResolvers<Peer>();
  const asked: HostAsk[] = [];
  const closes: string[] = [];
  const listening = await sim.net.listen("/s", (connection) =>
    accepted.resolve(
      openPeer(connection, {
        async onAsk(body) {
          asked.push(body as HostAsk);
          return answer(body as HostAsk);
        },
        onNotice: () => undefined,
        onClose: (reason) => closes.push(reason),
      }),
    ),
  );
  unwrap(listening, "listen");
  const served = serveWorkerHost({
    host: sim,
    hostId: asHostId("h1"),
    socketPath: "/s",
    providers: async () => ok(talker),
    directories: { workspaces: "/workspaces", agents: "/agents", blobs: "/blobs" },
    rgPath: "/bin/rg",
    shellEnvironment: {},
    workspaceGit: false,
    checksAtOnce: 1,
    checkMsMax: 1_000,
    ignoreTexts: [],
  });
  return { sim, served, asked, closes, peer: () => sim.run(accepted.promise) };
}

const kinds = ({ asked }: Played) => asked.map(({ kind }) => kind);
const wait = ({ sim }: Played, ms = 100) => sim.run(sim.clock.sleep(ms));

describe("a worker host", () => {
  it("works, reports the end of an agent that makes no handoff, and serves until it is stopped", async () => {
    const played = await play(usual);
    const peer = await played.peer();
    await wait(played);
    peer.notify({ kind: "assign", job });
    await wait(played);
    const failed = played.asked.find(({ kind }) => kind === "fail");
    expect([kinds(played), failed]).toEqual([
      [
        "hello",
        "tree",
        ...["request_begin", "request_done", "request_begin", "request_done", "request_begin", "request_done"],
        "fail",
        "agent_ended",
      ],
      {
        kind: "fail",
        lease: job.lease,
        reason: "ended its turns without a handoff; its last words: I am done",
        workspace: "/workspaces/a1/tree",
      },
    ]);
    peer.notify({ kind: "stop", reason: "enough" });
    peer.notify({ kind: "assign", job: { ...job, lease: { ...job.lease, fence: asFence(2) } } });
    expect(await played.sim.run(played.served)).toEqual(ok(undefined));
    expect(kinds(played).filter((kind) => kind === "tree")).toEqual(["tree"]);
  });

  const resumed: Job = { ...job, lease: { ...job.lease, fence: asFence(2) }, resume: "interrupted" };
  const abandoned = ({ asked }: Played) =>
    asked.flatMap((ask) => (ask.kind === "abandon" ? [{ reason: ask.reason, workspace: ask.workspace }] : []));

  it("S6 gives an agent up that another process is still at, and touches nothing of it", async () => {
    const played = await play(usual);
    const peer = await played.peer();
    const other = played.sim.newProcess();
    const lock = unwrap(await other.locks.acquire("/agents/a1.lock"), "lock");
    await wait(played);
    peer.notify({ kind: "assign", job: resumed });
    await wait(played, 20_000);
    expect([kinds(played), abandoned(played)]).toEqual([
      ["hello", "abandon", "agent_ended"],
      [{ reason: "a1 is still at work in another process", workspace: "/workspaces/a1" }],
    ]);
    await lock.release();
  });

  it("begins with an agent as soon as the other process lets go of it", async () => {
    const played = await play(usual);
    const peer = await played.peer();
    const lock = unwrap(await played.sim.newProcess().locks.acquire("/agents/a1.lock"), "lock");
    await wait(played);
    peer.notify({ kind: "assign", job });
    await wait(played, 1_000);
    const meanwhile = kinds(played);
    await lock.release();
    await wait(played, 1_000);
    expect([meanwhile, kinds(played).slice(1, 3), abandoned(played)]).toEqual([
      ["hello"],
      ["tree", "request_begin"],
      [],
    ]);
  });

  it("S6 gives up a conversation whose workspace is gone or not whole, or whose transcript has lost its end, and keeps them", async () => {
    const cases = [
      { spoil: "/workspaces/a1", reason: "its workspace is gone", workspace: null },
      { spoil: "/workspaces/a1/state.json", reason: "its workspace is not whole", workspace: "/workspaces/a1" },
      {
        spoil: "/proc/sys/kernel/random/boot_id",
        reason: "the machine was started anew since: what had not reached the disk is not in its workspace",
        workspace: "/workspaces/a1",
      },
      {
        spoil: null,
        reason: "/agents/a1.jsonl has lost its end: the answer to request 9 is not in it",
        workspace: "/workspaces/a1/tree",
      },
    ];
    for (const { spoil, ...expected } of cases) {
      const played = await play(usual);
      const { files } = played.sim;
      await files.makeDirectory("/proc/sys/kernel/random");
      await files.write("/proc/sys/kernel/random/boot_id", Buffer.from("first\n"));
      const peer = await played.peer();
      await wait(played);
      peer.notify({ kind: "assign", job });
      await wait(played);
      if (spoil !== null) await files.remove(spoil);
      peer.notify({ kind: "assign", job: { ...resumed, answeredTurn: spoil === null ? 9 : 3 } });
      await wait(played);
      const left = await files.stat("/workspaces/a1/tree");
      expect([abandoned(played), left.ok]).toEqual([[expected], expected.workspace !== null]);
    }
  });

  it("leaves when it is refused, and says why", async () => {
    const played = await play(() => ({ kind: "refused", reason: "another version" }));
    expect(await played.sim.run(played.served)).toEqual({ ok: false, error: "another version" });
    await wait(played);
    expect(played.closes.length).toBe(1);
  });

  it("leaves when it is assigned what it cannot read: the lease would stand for ever", async () => {
    const played = await play(usual);
    const peer = await played.peer();
    await wait(played);
    peer.notify({ kind: "assign", job: { ...job, prompt: "x".repeat(100_001) } });
    expect(await played.sim.run(played.served)).toEqual({
      ok: false,
      error: expect.stringContaining("cannot read: notice.job.prompt"),
    });
    await wait(played);
    expect(played.closes.length).toBe(1);
  });

  it("reports a job whose question was not answered as failed, and goes on", async () => {
    const played = await play((ask) => {
      if (ask.kind === "tree") throw new Error("the store cannot read it");
      return usual(ask);
    });
    const peer = await played.peer();
    await wait(played);
    peer.notify({ kind: "assign", job });
    await wait(played);
    const failed = played.asked.find((ask) => ask.kind === "fail");
    expect([kinds(played), failed?.reason, played.closes]).toEqual([
      ["hello", "tree", "fail", "agent_ended"],
      expect.stringContaining("the coordinator gave no answer to tree (failed): Error: the store cannot read it"),
      [],
    ]);
  });

  it("leaves when not even that can be told", async () => {
    const played = await play((ask) => {
      if (ask.kind !== "hello") throw new Error("the store stopped");
      return usual(ask);
    });
    const peer = await played.peer();
    await wait(played);
    peer.notify({ kind: "assign", job });
    expect(await played.sim.run(played.served)).toEqual(ok(undefined));
    await wait(played);
    expect(played.closes.length).toBe(1);
  });

  it("ends when the coordinator is gone, without waiting for answers", async () => {
    const played = await play((ask) => (ask.kind === "hello" ? usual(ask) : new Promise(() => undefined)));
    const peer = await played.peer();
    await wait(played);
    peer.notify({ kind: "assign", job });
    await wait(played);
    peer.close();
    expect(await played.sim.run(played.served)).toEqual(ok(undefined));
  });
});
