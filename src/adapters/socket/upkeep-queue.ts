// One piece of upkeep at a time, however many ask: requests for the same that wait are one, and what nobody waits for any more when
// its turn comes is not done. One that runs already is not joined: it may have looked before what its asker wants to be seen.

import { err, type Result } from "../../base/result.ts";

interface Waiting {
  readonly answer: Promise<Result<unknown, string>>;
  readonly wanted: (() => boolean)[];
}

/** Different requests that wait. */
const waitingMax = 32;

export class UpkeepQueue {
  readonly #waiting = new Map<string, Waiting>();
  #last: Promise<unknown> = Promise.resolve();

  /** `name` says what is asked, all of it: equal names have one answer. */
  ask<T>(name: string, isWanted: () => boolean, act: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    const same = this.#waiting.get(name);
    if (same !== undefined) {
      same.wanted.push(isWanted);
      // Equal names are equal requests, whose answers have one type.
      return same.answer as Promise<Result<T, string>>;
    }
    if (this.#waiting.size >= waitingMax) {
      return Promise.resolve(err(`${waitingMax} other requests for upkeep wait already: try again later`));
    }
    const wanted = [isWanted];
    const answer = this.#last.then(() => {
      this.#waiting.delete(name);
      return wanted.some((asks) => asks()) ? act() : err("nobody waits for it any more");
    });
    this.#waiting.set(name, { answer, wanted });
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}
