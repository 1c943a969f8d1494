// Two peers on a simulated connection: answers find their questions, and a connection's end answers what is open.

import { describe, expect, it } from "vitest";
import { natural, object, text } from "../base/parse.ts";
import { unwrap } from "../base/result.ts";
import type { Connection } from "../host/net.ts";
import { simHost } from "../testing/sim/host.ts";
import { frameBytesMax } from "./frame.ts";
import { openPeer, type Peer, type PeerHandlers } from "./peer.ts";

const silent: PeerHandlers = { onAsk: async () => null, onNotice: () => undefined, onClose: () => undefined };

/** Both ends; `raw` is the server's connection where the test speaks for it. */
async function connected(client: Partial<PeerHandlers>, server: Partial<PeerHandlers> | "raw") {
  const sim = simHost({ seed: 1 });
  const accepted = Promise.withResolvers<Connection>();
  unwrap(await sim.net.listen("/s", accepted.resolve), "listen");
  const near = unwrap(await sim.run(sim.net.connect("/s")), "connect");
  const far = await sim.run(accepted.promise);
  const one = openPeer(near, { ...silent, ...client });
  const other: Peer | null = server === "raw" ? null : openPeer(far, { ...silent, ...server });
  return { sim, one, other, far };
}

const number = object({ n: natural() });

describe("ask", () => {
  it("matches answers to questions that are answered in another order", async () => {
    const { sim, one } = await connected(
      {},
      {
        async onAsk(body) {
          const { n } = body as { n: number };
          await sim.clock.sleep(100 - n * 10);
          return { n: n * 2 };
        },
      },
    );
    const answers = await sim.run(Promise.all([1, 2, 3].map((n) => one.ask({ n }, number))));
    expect(answers).toEqual([2, 4, 6].map((n) => ({ ok: true, value: { n } })));
  });

  it("works in both directions at once, with notices between", async () => {
    const notices: unknown[] = [];
    const { sim, one, other } = await connected(
      { onAsk: async () => ({ n: 1 }), onNotice: (body) => notices.push(body) },
      { onAsk: async () => ({ n: 2 }) },
    );
    other?.notify({ first: true });
    const answers = await sim.run(Promise.all([one.ask({}, number), other?.ask({}, number)]));
    other?.notify({ second: true });
    await sim.run(sim.clock.sleep(10));
    expect([answers, notices]).toEqual([
      [
        { ok: true, value: { n: 2 } },
        { ok: true, value: { n: 1 } },
      ],
      [{ first: true }, { second: true }],
    ]);
  });

  it("says what went wrong: a handler that throws, an answer of another shape", async () => {
    const { sim, one } = await connected(
      {},
      {
        async onAsk(body) {
          if ((body as { bad?: boolean }).bad) return { n: "no number" };
          throw new Error("a bug over there");
        },
      },
    );
    const [failed, bad] = await sim.run(Promise.all([one.ask({}, number), one.ask({ bad: true }, number)]));
    expect([failed, bad]).toEqual([
      { ok: false, error: { kind: "peer", code: "failed", message: expect.stringContaining("a bug over there") } },
      { ok: false, error: { kind: "peer", code: "bad-message", message: "answer.n: expected a whole number from 0" } },
    ]);
  });

  it("refuses what is too large, a question here and an answer there, and goes on", async () => {
    const large = new Uint8Array(frameBytesMax);
    const { sim, one } = await connected(
      {},
      { onAsk: async (body) => ((body as { big?: boolean }).big ? { large } : { n: 1 }) },
    );
    const question = await sim.run(one.ask({ large }, number));
    const answer = await sim.run(one.ask({ big: true }, number));
    expect([question, answer, await sim.run(one.ask({}, number))]).toMatchObject([
      { ok: false, error: { code: "too-large" } },
      { ok: false, error: { code: "failed", message: expect.stringContaining("over the limit") } },
      { ok: true, value: { n: 1 } },
    ]);
  });
});

describe("the end of a connection", () => {
  it("answers open questions and later ones with `closed`, and is told once to each side", async () => {
    const closes: string[] = [];
    const { sim, one, other } = await connected(
      { onClose: (reason) => closes.push(`here: ${reason}`) },
      { onAsk: () => new Promise(() => undefined), onClose: (reason) => closes.push(`there: ${reason}`) },
    );
    const open = [one.ask({}, number), one.ask({}, number)];
    sim.clock.after(50, () => other?.close());
    const answers = await sim.run(Promise.all(open));
    one.close();
    one.notify({});
    const message = "the other side closed the connection";
    const closed = { ok: false, error: { kind: "peer", code: "closed", message } };
    expect([answers, await one.ask({}, number), closes]).toEqual([
      [closed, closed],
      closed,
      ["there: closed here", `here: ${message}`],
    ]);
  });

  it("comes with bytes that are no message, and nothing behind them is heard", async () => {
    for (const bytes of [
      Buffer.from([0, 0, 0, 1, 0xc1]),
      Buffer.from([0, 0, 0, 1, 0x07]),
      Buffer.from([0, 0, 0, 1, 0x80]),
    ]) {
      const heard: unknown[] = [];
      const reasons: string[] = [];
      const { sim, far } = await connected(
        { onNotice: (body) => heard.push(body), onClose: (reason) => reasons.push(reason) },
        "raw",
      );
      // {"notice": 1} behind it.
      const notice = Buffer.from([0, 0, 0, 9, 0x81, 0xa6, ...Buffer.from("notice"), 1]);
      await sim.run(far.send(Buffer.concat([bytes, notice])));
      await sim.run(sim.clock.sleep(10));
      expect([heard, reasons.length]).toEqual([[], 1]);
    }
  });

  it("comes with a notice that its handler cannot take: the other side does not wait for ever", async () => {
    const { sim, one } = await connected(
      {},
      {
        onNotice() {
          throw new Error("a bug over there");
        },
        onAsk: () => new Promise(() => undefined),
      },
    );
    const asked = one.ask({}, object({ x: text(1) }));
    one.notify({});
    expect(await sim.run(asked)).toMatchObject({ ok: false, error: { code: "closed" } });
  });
});
