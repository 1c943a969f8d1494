// Every command of `skein`, in the order of the help. Invariant: none is loaded before it is asked for.

import type { NamedCommand } from "./main.ts";

export const ALL_COMMANDS: readonly NamedCommand[] = [
  { name: "swarm", load: async () => (await import("./commands/swarm.ts")).addSwarm },
  { name: "runs", load: async () => (await import("./commands/runs.ts")).addRuns },
  { name: "run", load: async () => (await import("./commands/run.ts")).addRun },
  { name: "trace", load: async () => (await import("./commands/trace.ts")).addTrace },
  { name: "serve", load: async () => (await import("./commands/serve.ts")).addServe },
  { name: "vcs", load: async () => (await import("./commands/vcs.ts")).addVcs },
  { name: "eval", load: async () => (await import("./commands/eval.ts")).addEval },
  { name: "demo", load: async () => (await import("./commands/demo.ts")).addDemo },
  { name: "install", load: async () => (await import("./commands/install.ts")).addInstall },
  { name: "uninstall", load: async () => (await import("./commands/uninstall.ts")).addUninstall },
  { name: "who", load: async () => (await import("./commands/who.ts")).addWho },
  { name: "board", load: async () => (await import("./commands/board.ts")).addBoard },
  { name: "watch", load: async () => (await import("./commands/watch.ts")).addWatch },
  { name: "statusline", load: async () => (await import("./commands/statusline.ts")).addStatusline },
  { name: "intent", load: async () => (await import("./commands/intent.ts")).addIntent },
  { name: "memory", load: async () => (await import("./commands/memory.ts")).addMemory },
  { name: "mcp", load: async () => (await import("./commands/mcp.ts")).addMcp },
  { name: "hook", load: async () => (await import("./commands/hook.ts")).addHook },
  { name: "doctor", load: async () => (await import("./commands/doctor.ts")).addDoctor },
];
