// Whole turns of the loop over each protocol while the wire misbehaves: calls in interleaved pieces, errors and cuts in mid-stream, the
// output limit. What counts is what ran: each call once, with the arguments it was given, or not at all.

import { expect, test } from "vitest";
import { KINDS, model, serve } from "../../../test/servers/asking.ts";
import type { Behaviour } from "../../../test/servers/behaviour.ts";
import type { SeenRequest } from "../../../test/servers/server.ts";
import { runAgent } from "../../agent/loop.ts";
import { limited } from "../../model/limited.ts";
import { createLimiter } from "../../model/limiter.ts";
import { rig, tool } from "../../testing/agent/rig.ts";
import { nodeHost } from "../node/host.ts";
import type { AiSdkKind } from "./kinds.ts";

const SCRIPT = `
rules:
  - turn: 1
    say: "Three of them: élan, 文字, 🧵."
    calls:
      - { tool: act, input: { path: "src/élan/naïve-文字-🧵.ts", ms: 9 } }
      - { tool: act, input: { path: b, ms: 4 } }
      - { tool: act, input: { path: c, ms: 0 } }
  - { turn: 2, last: "did src/élan/naïve-文字-🧵.ts[^]*did b[^]*did c", say: done }
  - { turn: 2, say: "results out of order" }
`;

const { clock, random } = nodeHost();

async function run(kind: AiSdkKind, behave: (request: SeenRequest) => Behaviour, yaml = SCRIPT) {
  await using server = await serve(yaml, { behave });
  const ran: unknown[] = [];
  const act = tool("act", "read", async (input) => {
    const { path, ms } = input as { path: string; ms: number };
    ran.push(input);
    await clock.sleep(ms);
    return { kind: "text", text: `did ${path}` };
  });
  const one = rig({ answers: [], tools: [act], limits: { outputTokensMax: 500 } });
  const limiter = createLimiter({ clock, random, settings: { backoffMsMin: 1, backoffMsMax: 2 } });
  const provider = limited(model(kind, server.url), limiter);
  const ended = await runAgent(one.spec, { ...one.ports, clock, provider });
  return {
    ended: ended.kind === "stopped" ? ended.text : ended.kind === "model-error" ? ended.error.code : ended.kind,
    ran,
    asked: server.requests.map(({ turn }) => turn),
    outcomes: server.requests.map(({ outcome }) => outcome),
    requests: one.entries.flatMap((entry) => (entry.kind === "request" ? [entry.report.attempts.length] : [])),
  };
}

const THREE = [
  { path: "src/élan/naïve-文字-🧵.ts", ms: 9 },
  { path: "b", ms: 4 },
  { path: "c", ms: 0 },
];
/** The first request misbehaves, the others do not. */
const once = (behaviour: Behaviour) => (request: SeenRequest) => (request.number === 1 ? behaviour : {});

test.each<AiSdkKind>(KINDS)(
  "H6 %s: parallel calls in interleaved pieces finish in any order, and their results go back in the order of the calls",
  async (kind) => {
    const { ended, ran, asked } = await run(kind, () => ({ interleaved: true, bytesPerChunk: 11 }));
    expect({ ended, ran, asked }).toEqual({ ended: "done", ran: THREE, asked: [1, 2] });
  },
);

test.each<AiSdkKind>(KINDS)(
  "H16 %s: an error in mid-stream runs nothing, and the request is made again",
  async (kind) => {
    const error = { code: "overloaded", message: "Overloaded", first: false } as const;
    const { ended, ran, asked, requests } = await run(kind, once({ streamError: error }));
    expect({ ended, ran, asked, requests }).toEqual({ ended: "done", ran: THREE, asked: [1, 1, 2], requests: [2, 1] });
  },
);

const BREAKS = KINDS.flatMap((kind) => (["reset", "end"] as const).map((how) => ({ kind, how })));

test.each(BREAKS)(
  "H4 $kind: a stream that breaks ($how) after a call was announced is asked again, and no call runs twice",
  async ({ kind, how }) => {
    const { ended, ran, asked } = await run(kind, once({ broken: { after: "call", how } }));
    expect({ ended, ran, asked }).toEqual({ ended: "done", ran: THREE, asked: [1, 1, 2] });
  },
);

const CUT = `
rules:
  - turn: 1
    calls: [{ tool: act, input: { path: whole, ms: 0 } }, { tool: act, input: { path: "a-long-path-that-is-cut" } }]
  - { last: "did whole", say: told }
`;

test.each<AiSdkKind>(KINDS)(
  "H4 %s: of an answer that the output limit cut off the whole calls run, and the cut one never does, not even as empty",
  async (kind) => {
    const cuts = await Promise.all([0, 1, 10].map((cutOff) => run(kind, once({ cutOff }), CUT)));
    expect(cuts.map(({ ended, ran }) => ({ ended, ran }))).toEqual(
      Array(3).fill({ ended: "told", ran: [{ path: "whole", ms: 0 }] }),
    );
  },
);
