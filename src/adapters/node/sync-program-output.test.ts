// The synchronous adapter keeps the port's contract.

import { describeProgramOutput } from "../../testing/contract/program-output.ts";
import { syncProgramOutput } from "./sync-program-output.ts";

describeProgramOutput("node, synchronous", syncProgramOutput);
