// One delegation that was granted: what was asked, where its child will stand, and when others need not wait for it any more.

import type { AgentId } from "../base/ids.ts";
import type { Touched } from "./claim.ts";
import type { AskedChild } from "./delegation-record.ts";
import type { WriteScope } from "./write-scope.ts";

/** Where an agent stands in the family. */
export interface Place {
  readonly depth: number;
  readonly writes: WriteScope;
  /** Whose tree it works in: its own id for one with a workspace. */
  readonly tree: AgentId;
}

export class Request {
  readonly asked: AskedChild;
  readonly place: Place;
  /** What its write scope names, as claims name it; all of the tree while that is not known. */
  resources: Touched = "tree";
  private wasBegun = false;
  private running = false;
  /** Null where nothing of it is under way in this process. */
  private ending: PromiseWithResolvers<void> | null = null;
  private ended = false;

  constructor(asked: AskedChild, place: Place) {
    this.asked = asked;
    this.place = place;
  }

  /** Its child was started, in this process or before. */
  get begun(): boolean {
    return this.wasBegun;
  }

  /** Its call is one of this process. */
  get announced(): boolean {
    return this.ending !== null;
  }

  /** It may still change something. */
  get open(): boolean {
    return this.ending !== null && !this.ended;
  }

  get isApart(): boolean {
    return this.asked.request.isolation === "workspace";
  }

  /** Resolves when its child is over with all below it, or its call begins none. */
  get over(): Promise<void> {
    return this.ending?.promise ?? Promise.resolve();
  }

  announce(): void {
    this.ending ??= Promise.withResolvers();
  }

  begin(): void {
    this.wasBegun = true;
  }

  /** Its child is at work. */
  run(until: Promise<unknown>): void {
    this.announce();
    this.begin();
    this.running = true;
    void until.then(() => this.end());
  }

  settle(): void {
    if (!this.running) this.end();
  }

  private end(): void {
    this.ended = true;
    this.ending?.resolve();
  }
}
