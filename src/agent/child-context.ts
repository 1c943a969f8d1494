// What a child is told: the part of its parent's conversation it gets, and a note on its role. A child with its parent's conversation
// would else go on with the parent's work, and delegate it again. Invariant: what comes before the note is, for `full`, exactly what
// the parent's last request began with, so that the provider's cache holds it.

import type { AgentId } from "../base/ids.ts";
import type { Message } from "../model/message.ts";
import type { DelegateRequest } from "./delegation-record.ts";
import type { WriteScope } from "./write-scope.ts";

export interface ChildRole {
  readonly child: AgentId;
  readonly parent: AgentId;
  readonly mayDelegate: boolean;
  readonly writes: WriteScope;
  readonly hidden: readonly string[];
  readonly resultBytesMax: number;
  /** Below its task; empty for nothing. */
  readonly told: string;
}

/** `conversation` ends with the answer that makes the call. */
export function childMessages(
  { task, context, isolation }: DelegateRequest,
  conversation: readonly Message[],
  role: ChildRole,
): readonly Message[] {
  const told = role.told === "" ? "" : `\n\n${role.told}`;
  const note: Message = { role: "user", text: `${roleNote(role, isolation, context)}\n\nYour task:\n${task}${told}` };
  switch (context) {
    case "task-only":
      return [note];
    case "full":
      return [...conversation.slice(0, -1), ...saidIn(conversation.slice(-1)), note];
    case "no-tools":
      return [...saidIn(conversation), note];
  }
}

/** What the child itself has said and been told since its task. */
export function ownMessages(child: AgentId, messages: readonly Message[]): readonly Message[] {
  const note = messages.findLastIndex((one) => one.role === "user" && one.text.startsWith(opening(child)));
  return messages.slice(note + 1);
}

function opening(child: AgentId): string {
  return `You are now the child agent ${child} of the agent `;
}

/** Texts without calls and results. */
function saidIn(conversation: readonly Message[]): readonly Message[] {
  const said: Message[] = [];
  for (const message of conversation) {
    if (message.role === "user") said.push(message);
    if (message.role === "assistant" && message.text !== "") said.push({ ...message, calls: [] });
  }
  return said;
}

function roleNote(
  role: ChildRole,
  isolation: DelegateRequest["isolation"],
  context: DelegateRequest["context"],
): string {
  const { child, parent, mayDelegate, resultBytesMax } = role;
  const before =
    context === "task-only"
      ? []
      : [
          "What stands above is that agent's conversation, for you to know: it is not yours to go on with, and its tasks are not yours.",
        ];
  return [
    `${opening(child)}${parent}.`,
    ...before,
    "Do the one task below and nothing beyond it.",
    ...rights(role, isolation),
    mayDelegate ? "" : "You cannot delegate: do the work yourself.",
    `Nobody answers questions. Your last message is your result and all that the agent gets to see: say what you found or did, with paths and lines, in at most ${resultBytesMax} bytes.`,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function rights(
  { writes, hidden }: Pick<ChildRole, "writes" | "hidden">,
  isolation: DelegateRequest["isolation"],
): readonly string[] {
  if (isolation === "workspace")
    return [
      "You work in a copy of the tree that is yours alone: what you change in files there is merged back when you are done. Files that the repository ignores are not in it.",
    ];
  if (writes.kind === "all") return [];
  const scope =
    writes.kind === "none"
      ? "You may read the tree and change nothing in it"
      : `You may change only ${writes.paths.join(", ")}`;
  const unseen =
    hidden.length === 0 ? [] : [`You are not shown ${hidden.join(", ")}: other agents change that at the same time.`];
  return [`${scope}; you cannot run commands. Other agents work in the same tree at the same time.`, ...unseen];
}
