// The port on child processes keeps its contract.

import { nodeClock } from "../../adapters/node/clock.ts";
import { nodeProcesses } from "../../adapters/node/processes.ts";
import { describeProgramOutput } from "../../testing/contract/program-output.ts";
import { outputOf } from "./program-output.ts";

describeProgramOutput("on processes", outputOf({ processes: nodeProcesses, clock: nodeClock }));
