// How the results of children reach their parents. Invariant: each is given exactly once, as the answer of a call or as a notice; one
// that is given counts as told only when its parent's transcript has it, so a crash in between loses none.

import { orAborted } from "../base/abort.ts";
import type { AgentId } from "../base/ids.ts";
import type { Message } from "../model/message.ts";
import type { Child } from "./child.ts";
import { endsWithResultOf } from "./child-outcome.ts";
import type { ChildEntry, DelegationLog } from "./delegation-record.ts";
import type { Notice, Notices } from "./notices.ts";

/** Of one message. */
const noticesBytesMax = 65_536;

export class Deliveries {
  private readonly log: DelegationLog;
  /** Given as answers of calls: they are in the transcript when the next request is made. */
  private given: Child[] = [];

  constructor(log: DelegationLog) {
    this.log = log;
  }

  /** False where the signal aborted first. */
  static async allOver(children: readonly Child[], signal: AbortSignal): Promise<boolean> {
    const all = Promise.all(children.map((child) => child.brought.promise));
    return (await orAborted(all, signal)).kind === "value";
  }

  give(child: Child): void {
    if (child.delivery !== "none") return;
    child.delivery = "given";
    this.given.push(child);
  }

  /** The result for a call that waits; what the parent has had is not said again. */
  textOf(child: Child, undelivered: readonly Child[]): string {
    if (!undelivered.includes(child)) return hadText(child.id);
    this.give(child);
    return child.result?.text ?? "";
  }

  noticesFor(background: () => readonly Child[]): Notices {
    const open = () => background().filter((child) => child.delivery === "none");
    return {
      take: () => {
        const notices: Notice[] = [];
        let bytes = 0;
        for (const child of open()) {
          if (child.result === null) continue;
          bytes += Buffer.byteLength(child.result.text, "utf8");
          // The others come with the next request.
          if (notices.length > 0 && bytes > noticesBytesMax) break;
          child.delivery = "given";
          notices.push({ id: child.id, text: `[news from the background]\n${child.result.text}` });
        }
        return notices;
      },
      said: async (ids) => {
        const said = background().filter((child) => ids.includes(child.id));
        await this.mark([...this.takeGiven(), ...said]);
      },
      wait: async (signal) => {
        const children = open();
        if (children.length === 0) return "nothing";
        const first = Promise.race(children.map((child) => child.brought.promise));
        return (await orAborted(first, signal)).kind === "value" ? "notice" : "nothing";
      },
    };
  }

  /** Once no parent says anything more. */
  flush(): Promise<void> {
    return this.mark(this.takeGiven());
  }

  private takeGiven(): readonly Child[] {
    const { given } = this;
    this.given = [];
    return given;
  }

  private async mark(children: readonly Child[]): Promise<void> {
    const fresh = children.filter((child) => child.delivery !== "told");
    for (const child of fresh) child.delivery = "told";
    if (fresh.length > 0) await this.log.note(fresh.map(({ id }) => ({ kind: "told", child: id })));
  }
}

export function hadText(child: AgentId): string {
  return `child ${child}: you have had its result`;
}

/** Children in the background that had begun and whose results their parent, with this history, has not had: they go on with it. */
export function untoldChildren(
  entries: readonly ChildEntry[],
  parent: AgentId,
  history: readonly Message[],
): readonly AgentId[] {
  const of = (kind: "begun" | "told") => new Set(entries.flatMap((one) => (one.kind === kind ? [one.child] : [])));
  const [begun, told] = [of("begun"), of("told")];
  return entries.flatMap((entry) => {
    if (entry.kind !== "asked" || entry.asked.parent !== parent || !entry.asked.request.background) return [];
    const { child } = entry.asked;
    return begun.has(child) && !told.has(child) && !endsWithResultOf(child, history) ? [child] : [];
  });
}
