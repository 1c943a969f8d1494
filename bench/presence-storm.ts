// `npm run bench:storm`: sessions whose hooks run all at once, then a kill of some of them; by default 200 sessions of 50 events from 96
// processes, and 100 kills. Ends with 1 where an event was lost, a line torn, a dead session shown or a live one buried.
import { storm } from "../test/support/hook-storm.ts";

const plan = {
  sessions: numberAfter("--sessions", 200),
  events: numberAfter("--events", 50),
  processes: numberAfter("--processes", 96),
  kills: numberAfter("--kills", 100),
};
const startedAt = performance.now();
const end = await storm(plan);
const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
const faults = end.lost.length + end.torn + end.failedHooks + end.phantoms.length + end.falseDeaths.length;
console.log(JSON.stringify({ ...plan, seconds, ...end }));
process.exitCode = faults === 0 && end.events === plan.sessions * plan.events ? 0 : 1;

function numberAfter(flag: string, otherwise: number): number {
  const at = process.argv.indexOf(flag);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${flag} needs a whole number`);
  return value;
}
