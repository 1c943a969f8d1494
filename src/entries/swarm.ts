// `skein swarm`, `skein runs` and `skein demo` in a file of their own, as `vcs.ts`. Invariant: they answer as the command does.

import "./lean-schemas.ts";

import { addDemo } from "../cli/commands/demo.ts";
import { addRuns } from "../cli/commands/runs.ts";
import { addSwarm } from "../cli/commands/swarm.ts";
import { startCommand } from "./command.ts";

void startCommand([
  { name: "swarm", load: async () => addSwarm },
  { name: "runs", load: async () => addRuns },
  { name: "demo", load: async () => addDemo },
]);
