// Where a run's agent is told of others and of hooks' words: behind its task, in messages of their own, and never in what is recorded already.

import { expect, test } from "vitest";
import type { ClientAction } from "../sessions/client-event.ts";
import { openingOf } from "./run-opening.ts";
import { newSession, type Session } from "./run-session.ts";

const block = "Other agent sessions in this repository …";

async function opened(session: Session, hooksSay = "") {
  const noted: ClientAction[] = [];
  const own = {
    note: async (action: ClientAction) => {
      noted.push(action);
      return action.kind === "session-started" ? block : null;
    },
    crew: async () => {},
  };
  const say = async (value: string) => ({ ok: true, value }) as const;
  const hooks = { started: async () => say(hooksSay), prompted: async () => say("") };
  const { signal } = new AbortController();
  const made = await openingOf({ task: "Port the parser", session }, { own, hooks, signal });
  return { session: made.ok ? made.value : null, noted };
}

test("the task stays as it is, and the block is a message of its own behind it", async () => {
  const { session, noted } = await opened(newSession("Port the parser"));
  expect(session?.messages).toEqual([
    { role: "user", text: "Port the parser" },
    { role: "user", text: block },
  ]);
  expect(noted).toEqual([
    { kind: "session-started", source: "startup" },
    { kind: "prompt", text: "Port the parser", byPerson: true },
  ]);
});

test("what hooks say stands with the task, the block behind both", async () => {
  const { session } = await opened(newSession("Port the parser"), "Mind the style guide.");
  expect(session?.messages.map((message) => message.role === "user" && message.text)).toEqual([
    "Port the parser\n\nMind the style guide.",
    block,
  ]);
});

test("a run that goes on in the middle of an answer is told once its calls have their results", async () => {
  const calls = [{ id: "c1", name: "bash", arguments: { kind: "parsed", value: {} } }] as never;
  const session: Session = {
    ...newSession("Port the parser"),
    messagesRecorded: 1,
    pending: { turn: 1, calls, results: new Map(), cut: false },
    resumed: { bill: null as never, callsPending: 1, callsInterrupted: 0, linesDamaged: 0 },
  };
  expect((await opened(session)).session).toEqual({ ...session, afterPending: block });
  expect((await opened({ ...session, afterPending: "Go on" })).session?.afterPending).toBe(`Go on\n\n${block}`);
});
