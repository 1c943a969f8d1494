// The whole of the `skein` command, from source or after `skein-start.ts`. A hook goes its own way, without loading the command.

import { keepCompiled } from "./keep-compiled.ts";

const [, , command, client] = process.argv;
if (command === "hook" && client !== undefined && !client.startsWith("-")) await import("./hook.ts");
else {
  keepCompiled(process.env);
  await import("./main.ts");
}
