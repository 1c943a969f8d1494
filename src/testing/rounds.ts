// How much of a sweep a run of the tests does: a sample in `npm test`, all of it in `npm run test:full`.

const isFull = process.env.SKEIN_FULL === "1";

/** A number of rounds, or a list of seeds: the first in `npm test`, the second in the full tests. */
export function rounds<T>(usual: T, full: T): T {
  return isFull ? full : usual;
}
