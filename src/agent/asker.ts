// Makes an agent's model requests and says of each what there is to report: one report a request, whatever becomes of it.

import type { Message } from "../model/message.ts";
import { type Answer, ask } from "./ask.ts";
import { chargesOf, type RequestReport, WaitWatch } from "./request-report.ts";
import type { AgentPorts, AgentSpec } from "./spec.ts";

export interface AskedTurn {
  readonly turn: number;
  readonly messages: readonly Message[];
  readonly outputTokensMax: number;
}

export async function askTurn(
  spec: AgentSpec,
  ports: AgentPorts,
  { turn, messages, outputTokensMax }: AskedTurn,
): Promise<{ readonly answer: Answer; readonly report: RequestReport }> {
  const { provider, clock, signal, onEvent } = ports;
  const { agent, parent, role, task, taskKeys, system } = spec;
  onEvent?.({ kind: "request-started", turn });
  const startMs = clock.now();
  const startedMs = clock.monotonicMs();
  const request = {
    context: { agent, parent, role, task, taskKeys, turn },
    system,
    messages: [...messages],
    tools: spec.tools.map((tool) => tool.spec),
    outputTokensMax,
  };
  const waits = new WaitWatch(clock);
  const { answer, attempts, charges } = await ask(provider, request, signal, {
    onText: (text) => onEvent?.({ kind: "text", turn, text }),
    onAttempt: (attempt) => {
      waits.see(attempt);
      onEvent?.({ kind: "attempt", turn, attempt });
    },
  });
  const report: RequestReport = {
    turn,
    provider: provider.name,
    scripted: provider.scripted,
    outcome: answer.kind === "whole" ? answer.stop : answer.kind === "failed" ? "error" : "aborted",
    error: answer.kind === "failed" ? answer.error : null,
    ...chargesOf(charges, provider.price),
    attempts,
    startMs,
    endMs: clock.now(),
    durationMs: Math.round(clock.monotonicMs() - startedMs),
    waitedMs: Math.round(waits.totalMs()),
  };
  onEvent?.({ kind: "request-ended", turn, report });
  return { answer, report };
}

/** The same ports, whose watcher does not get the answer's text: a request that the person has not asked for. */
export function unheard(ports: AgentPorts): AgentPorts {
  const { onEvent } = ports;
  if (onEvent === undefined) return ports;
  return {
    ...ports,
    onEvent: (event) => {
      if (event.kind !== "text") onEvent(event);
    },
  };
}
