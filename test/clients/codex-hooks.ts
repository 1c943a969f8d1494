// Codex's own list of its hooks, asked through `codex app-server`.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Place } from "./place.ts";

interface Hook {
  readonly key: string;
  readonly currentHash: string;
}

export async function hooksOfCodex({ env, repository }: Place): Promise<readonly Hook[]> {
  const server = spawn("codex", ["app-server"], {
    env,
    cwd: repository,
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message: object): void => void server.stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { id, result } = JSON.parse(line);
      if (id === 2) return result.data[0].hooks;
      if (id !== 1) continue;
      send({ method: "initialized" });
      send({ id: 2, method: "hooks/list", params: { cwds: [repository] } });
    }
    throw new Error("codex app-server ended without a list");
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL");
  }
}
