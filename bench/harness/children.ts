// Children of one process that ask a fake server (Anthropic's protocol, a process of its own) at the same time: for each number of them the
// span of all against the longest child, and the memory that one costs while it waits for its answer.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { openAiSdkModel } from "../../src/adapters/ai-sdk/provider.ts";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { unwrap } from "../../src/base/result.ts";
import type { Provider } from "../../src/model/provider.ts";
import { runDelegating } from "../../src/testing/agent/delegating-run.ts";

const sampleMs = 50;

export interface ChildrenRow {
  readonly children: number;
  readonly done: number;
  readonly spanMs: number;
  readonly longestMs: number;
  readonly startsMs: number;
  readonly inStartOrder: boolean;
  readonly kilobytesAChild: number;
}

/** Resident memory before the run, and at its most while all children wait: what the server and the parent take of it is little. */
class Memory {
  private readonly children: number;
  private readonly beforeBytes: number;
  private mostBytes = 0;
  private waiting = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(children: number) {
    this.children = children;
    globalThis.gc?.();
    this.beforeBytes = process.memoryUsage.rss();
  }

  asked(): void {
    if (this.waiting === 0 && this.timer === null) {
      this.timer = setInterval(() => {
        if (this.waiting === this.children) this.mostBytes = Math.max(this.mostBytes, process.memoryUsage.rss());
      }, sampleMs);
    }
    this.waiting += 1;
  }

  answered(): void {
    this.waiting -= 1;
    if (this.waiting > 0 || this.timer === null) return;
    clearInterval(this.timer);
  }

  get kilobytesAChild(): number {
    return Math.round((this.mostBytes - this.beforeBytes) / 1_024 / this.children);
  }
}

export async function measureChildren(counts: readonly number[], delayMs: number): Promise<readonly ChildrenRow[]> {
  // The first run loads what the others find loaded.
  await measure(2, delayMs);
  const rows: ChildrenRow[] = [];
  for (const count of counts) rows.push(await measure(count, delayMs));
  return rows;
}

async function measure(children: number, delayMs: number): Promise<ChildrenRow> {
  const at = realpathSync(mkdtempSync(join(tmpdir(), "skein-bench-")));
  const server = await startServer(join(at, "script.json"), children, delayMs);
  try {
    const root = join(at, "root");
    mkdirSync(root);
    const run = join(at, "run");
    const host = nodeHost();
    const settings = {
      kind: "anthropic",
      model: "bench",
      apiKey: "bench",
      baseUrl: server.url,
      price: null,
      clock: host.clock,
    } as const;
    const provider = unwrap(openAiSdkModel(settings), "model");
    const memory = new Memory(children);
    const limits = { childrenAtOnceMax: children, childrenMax: children };
    await runDelegating({
      host,
      root,
      run,
      path: process.env.PATH ?? "",
      rgPath,
      answering: () => ({}),
      provider: watched(provider, memory),
      limits,
    });
    return { ...spans(join(run, "delegations.jsonl")), children, kilobytesAChild: memory.kilobytesAChild };
  } finally {
    server.process.kill();
    rmSync(at, { recursive: true, force: true, maxRetries: 5 });
  }
}

function watched(provider: Provider, memory: Memory): Provider {
  return {
    ...provider,
    async *request(request, signal) {
      if (request.context.role !== "child") return yield* provider.request(request, signal);
      memory.asked();
      try {
        yield* provider.request(request, signal);
      } finally {
        memory.answered();
      }
    },
  };
}

function spans(path: string) {
  const lines = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  lines.sort((a, b) => a.seq - b.seq);
  const starts: number[] = lines.map((line) => line.started_at_ms);
  const ends: number[] = lines.map((line) => line.ended_at_ms);
  const first = Math.min(...starts);
  return {
    done: lines.filter((line) => line.outcome === "done").length,
    spanMs: Math.max(...ends) - first,
    longestMs: Math.max(...lines.map((line) => line.ended_at_ms - line.started_at_ms)),
    startsMs: Math.max(...starts) - first,
    inStartOrder: starts.every((start, n) => n === 0 || start >= (starts[n - 1] ?? 0)),
  };
}

async function startServer(
  script: string,
  children: number,
  delayMs: number,
): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const calls = Array.from({ length: children }, (_, n) => ({ tool: "delegate_task", input: { task: `Part ${n}` } }));
  const rules = [
    { role: "solo", turn: 1, calls },
    { role: "child", delayMs, say: "It is done." },
    { role: "solo", say: "All is done." },
  ];
  writeFileSync(script, JSON.stringify({ name: "bench", rules }));
  const main = join(import.meta.dirname, "..", "..", "test", "servers", "main.ts");
  const server = spawn(process.execPath, [main, "--script", script], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve) =>
    server.stdout.once("data", (text) => resolve(String(text).trim())),
  );
  return { url, process: server };
}
