// What must hold of a run that was interrupted, against one that was not, and the seeded interruptions it is put through.

import { seededRandom } from "../../src/testing/sim/random.ts";
import { scriptText } from "./demo-swarm.ts";
import { type Fault, type Interruption, type Outcome, runThrough } from "./interruptions.ts";
import { answeredRequests, landedWork, leaseFaults, repeated } from "./reading.ts";
import { sumsByRole } from "./script-sums.ts";

/** About as long as the demo takes undisturbed, in virtual time. */
const runMs = 13_000;

export function interruptionsOf(
  seed: number,
  count: number,
  faults: readonly [Fault, ...Fault[]],
): readonly Interruption[] {
  const random = seededRandom(seed, "when");
  return Array.from({ length: count }, () => ({
    afterMs: (random.unit() * 2 * runMs) / (count + 1),
    fault: faults[random.integer(faults.length)] ?? faults[0],
  }));
}

export const undisturbed = runThrough(1, []);

/** The same for every run on the demo's script, interrupted or not. */
export function essence(outcome: Outcome) {
  const { demo, end, records, askedAgain } = outcome;
  return {
    end,
    open: [...demo.state.tasks.values()].filter(({ status }) => status.kind !== "done").map(({ key }) => key),
    tree: demo.tree(),
    faults: leaseFaults(records),
    askedAgain,
    billedTwice: repeated(answeredRequests(records)),
    // Every reservation has been settled or charged.
    held: [...demo.state.reserved.keys()],
  };
}

/** Besides, where no answer can have been lost with the power. */
export function work(outcome: Outcome) {
  const { records, workspaces } = outcome;
  return { landed: landedWork(records), bill: billOf(outcome), workspaces };
}

export function billOf({ records }: Pick<Outcome, "records">) {
  const requests = answeredRequests(records);
  return (["planner", "worker", "arbiter"] as const).map((role) => {
    const own = requests.filter((request) => request.role === role);
    const sum = (name: "input_tokens" | "cached_tokens" | "output_tokens" | "cost_usd"): number =>
      own.reduce((total, { [name]: figure }) => total + (figure === "unavailable" ? Number.NaN : figure), 0);
    return {
      role,
      requests: own.length,
      inputTokens: sum("input_tokens"),
      cachedTokens: sum("cached_tokens"),
      outputTokens: sum("output_tokens"),
      costUsd: rounded(sum("cost_usd")),
    };
  });
}

/** The bill that the script adds up to. */
export function scriptBill() {
  return sumsByRole(scriptText).map((bill) => ({ ...bill, costUsd: rounded(bill.costUsd) }));
}

function rounded(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
