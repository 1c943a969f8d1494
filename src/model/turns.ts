// A conversation as turns: what the user said in several messages, one after another, is one.

import type { Message } from "./message.ts";

/** The texts stand with an empty line between them. */
export function inTurns(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role !== "user" || last?.role !== "user") turns.push(message);
    else turns[turns.length - 1] = { role: "user", text: `${last.text}\n\n${message.text}` };
  }
  return turns;
}
