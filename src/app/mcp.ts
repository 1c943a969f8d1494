// `skein mcp`: the MCP server on the process's streams, for as long as its client lives and keeps them open.

import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { syncFiles } from "../adapters/node/sync-files.ts";
import type { Result } from "../base/result.ts";
import { SESSION_VARIABLE } from "../clients/session-variable.ts";
import type { Clock } from "../host/clock.ts";
import { Lines } from "../sessions/mcp/lines.ts";
import { lineBytesMax, McpServer } from "../sessions/mcp/server.ts";
import { Speakers } from "../sessions/mcp/speaker.ts";
import { instructions, toolsOf } from "../sessions/mcp/tools.ts";
import { memoryIn } from "../sessions/memory/places.ts";
import { findAgentProcess } from "../sessions/presence/agent-process.ts";
import { isSameStart } from "../sessions/presence/liveness.ts";
import type { NoStateRoot } from "../sessions/state-root.ts";
import { openPresence, type Presence } from "./presence.ts";
import type { Surroundings } from "./surroundings.ts";

export interface McpOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly parentPid: number;
  /** The program's file, beside whose package.json it lies: for the version. */
  readonly program: string;
  /** Called when the client's process has gone, though its end of the pipe may be open still. */
  readonly onClientGone: () => void;
}

export interface McpSurroundings extends Pick<Surroundings, "env" | "platform" | "cwd" | "processId"> {
  readonly host: { readonly clock: Pick<Clock, "now" | "monotonicMs"> };
}

/** How often it is looked whether the client still lives. */
const watchEveryMs = 2_000;

/** Until the input ends. */
export async function serveMcp(
  surroundings: McpSurroundings,
  { input, output, parentPid, program, onClientGone }: McpOptions,
): Promise<Result<void, NoStateRoot>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const { clock } = surroundings.host;
  const { registry, processes, root } = presence.value;
  const agent = await findAgentProcess(processes, { parent: parentPid, hint: null });
  const watch =
    agent === null ? null : setInterval(() => void lookAfter(presence.value, agent, onClientGone), watchEveryMs);
  watch?.unref();
  const now = (): number => clock.now();
  const named = surroundings.env[SESSION_VARIABLE] ?? null;
  const speakers = new Speakers({ registry, processes, now, agent, cwd: surroundings.cwd, named });
  const unique = (): string => `${surroundings.processId}-${Math.trunc(clock.monotonicMs() * 1000)}`;
  const tools = toolsOf({ memory: memoryIn(syncFiles, root), speakers, now, unique });
  const server = new McpServer({ version: versionOf(program), instructions, tools });
  const lines = new Lines(lineBytesMax);
  for await (const chunk of input)
    for (const line of lines.push(chunk)) {
      const answer = line.kind === "too-long" ? server.tooLong() : await server.answer(line.text);
      if (answer !== null) await write(output, `${answer}\n`);
    }
  clearInterval(watch ?? undefined);
  return { ok: true, value: undefined };
}

async function lookAfter(
  { processes }: Presence,
  { pid, start }: NonNullable<Awaited<ReturnType<typeof findAgentProcess>>>,
  onGone: () => void,
): Promise<void> {
  const look = (await processes.look([pid])).get(pid);
  if (look === undefined || look.kind === "unreadable") return;
  const same = look.kind === "running" && (start === null || isSameStart(start, look.start));
  if (!same) onGone();
}

/** Answers when it may be written on: a client that does not read holds its own answers up. */
function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve) => output.write(text, () => resolve()));
}

const directoriesUpMax = 3;

function versionOf(program: string): string {
  try {
    let at = dirname(realpathSync(program));
    for (let up = 0; up < directoriesUpMax; up++, at = dirname(at)) {
      const found = packageVersion(join(at, "package.json"));
      if (found !== null) return found;
    }
  } catch {
    // A program that was moved under its process.
  }
  return "unknown";
}

function packageVersion(path: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof value !== "object" || value === null || !("version" in value)) return null;
    return typeof value.version === "string" ? value.version : null;
  } catch {
    return null;
  }
}
