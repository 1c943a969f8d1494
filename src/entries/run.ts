// `skein run` by itself, in a file of its own: people wait for its start at each task, and loading many modules takes most of it. `skein.ts`
// comes here. Invariant: it answers as the command does.

import "./lean-schemas.ts";

import { addRun } from "../cli/commands/run.ts";
import { startCommand } from "./command.ts";

void startCommand([{ name: "run", load: async () => addRun }]);
