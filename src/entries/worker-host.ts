// The worker host's process: `worker-host <socket> <host id>`, with its settings as one line of JSON on standard input. Started
// by the coordinator's process, never by a person. In the bundle its program is a file of its own, whose compiled form is kept.

import { keepCompiled } from "./keep-compiled.ts";

keepCompiled(process.env);
if (import.meta.url.endsWith(".ts")) {
  const source = "./host-process.ts";
  await import(source);
} else process.getBuiltinModule("node:module").createRequire(import.meta.url)("./host-process.cjs");
