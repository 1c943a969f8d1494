// `skein vcs` and `skein serve` in a file of their own: scripts and agents ask them many times over, and loading many modules takes most of
// such a start. `skein.ts` comes here. Invariant: they answer as the command does.

import "./lean-schemas.ts";

import { addServe } from "../cli/commands/serve.ts";
import { addVcs } from "../cli/commands/vcs.ts";
import { startCommand } from "./command.ts";

void startCommand([
  { name: "serve", load: async () => addServe },
  { name: "vcs", load: async () => addVcs },
]);
