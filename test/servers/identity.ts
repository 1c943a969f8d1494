// Who asks. Role, task and turn are not on the wire, so they are read from what every provider gets: the system prompt of
// the role, the line with which a task's first message names it, and how often the model was told something. Lines of other
// people's text begin with `> ` there, so a goal or a handoff cannot pass for one.

import type { Role } from "../../src/model/provider.ts";
import { systemPrompt } from "../../src/swarm/prompts.ts";
import type { Reading } from "./protocol.ts";

export interface Identity {
  readonly role: Role;
  /** The key of the task, of both sides for an arbiter; the id of a child; none for a lone agent. */
  readonly taskKeys: readonly string[];
  /** From 1: a request follows each message to the model, also where the answer before it was empty and left none. */
  readonly turn: number;
}

const ROLES = ["planner", "worker", "arbiter"] as const;
const OWN_TASK = /^Your task (t\d+) \(([^)\n]+)\): /m;
const CHILD = /^You are now the child agent (\S+) of the agent /;
const SIDES = /^Side "\w+" comes from task (t\d+)(?: \(([^)\n]+)\))?: /gm;

/** The key of the goal, which no message names. */
const rootKey = "root";

/** The note with which a child's own conversation begins, wherever its parent's stands before it. */
function childOf(messages: Reading["messages"]): Identity | null {
  const from = messages.findLastIndex((message) => message.role === "user" && CHILD.test(message.text));
  const note = messages[from];
  if (note?.role !== "user") return null;
  const [, id = ""] = CHILD.exec(note.text) ?? [];
  const turn = messages.slice(from).filter(({ role }) => role !== "assistant").length;
  return { role: "child", taskKeys: [id], turn };
}

/** Remembers the keys of tasks: an arbiter's message names its sides by their ids. */
export class Identities {
  private readonly keys = new Map<string, string>();

  of({ system, messages }: Reading): Identity {
    const child = childOf(messages);
    if (child !== null) return child;
    const role = ROLES.find((name) => system.startsWith(systemPrompt(name))) ?? "solo";
    const first = messages[0]?.role === "user" ? messages[0].text : "";
    const turn = messages.filter(({ role: from }) => from !== "assistant").length;
    return { role, taskKeys: this.keysOf(role, first), turn };
  }

  private keysOf(role: Role, text: string): readonly string[] {
    if (role === "solo") return [];
    if (role === "arbiter") return [...text.matchAll(SIDES)].map(([, id = "", key]) => key ?? this.keys.get(id) ?? id);
    const [, id, key] = OWN_TASK.exec(text) ?? [];
    if (id === undefined || key === undefined) return [rootKey];
    this.keys.set(id, key);
    return [key];
  }
}
