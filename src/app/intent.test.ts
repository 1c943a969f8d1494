// Which session is speaking, where one process serves several.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import { Speakers } from "../sessions/mcp/speaker.ts";
import { recordEvent } from "../sessions/presence/record-event.ts";
import { sayIntent } from "./intent.ts";
import { openPresence, recordingOf } from "./presence.ts";
import type { Surroundings } from "./surroundings.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-intent-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function around(env: Readonly<Record<string, string>> = {}): Surroundings {
  return {
    host: nodeHost(),
    env: { HOME: root, PATH: "/usr/bin:/bin", SKEIN_STATE_DIR: join(root, "state"), ...env },
    cwd: root,
    processId: process.pid,
    platform: process.platform,
    packageRoot: root,
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: root,
  };
}

async function begin(session: string): Promise<void> {
  const presence = unwrap(await openPresence(around()), "presence");
  const recording = await recordingOf(around(), presence, process.pid);
  const recorded = await recordEvent(recording, {
    client: "opencode",
    session,
    agent: null,
    cwd: root,
    action: { kind: "seen" },
    native: "session.status",
    takesContext: false,
    transcript: null,
    agentPid: process.pid,
    sharedProcess: true,
  });
  unwrap(recorded, "recorded");
}

async function speaker(env?: Readonly<Record<string, string>>): Promise<string> {
  const said = await sayIntent(around(env), { text: "Move the parser", session: null });
  return said.ok ? said.value.name : said.error.kind;
}

test("P16 a command of one of several sessions of a process speaks for that one, and without a word of which for none", async () => {
  await begin("ses_first");
  expect(await speaker()).toBe("ses-firs");
  await begin("ses_second");
  expect([
    await speaker(),
    await speaker({ SKEIN_SESSION: "ses_second" }),
    await speaker({ SKEIN_SESSION: "ses_first" }),
    await speaker({ SKEIN_SESSION: "of an outer agent" }),
  ]).toEqual(["no-session", "ses-seco", "ses-firs", "no-session"]);
});

test("P16 an MCP server of a process with several sessions speaks for none of them, but for the one that is named", async () => {
  await begin("ses_first");
  const { registry, processes } = unwrap(await openPresence(around()), "presence");
  const look = (await processes.look([process.pid])).get(process.pid);
  if (look?.kind !== "running") throw new Error("this process is not running");
  const agent = { pid: process.pid, start: look.start };
  const asks = async (named: string | null, session: string | null = null): Promise<string> => {
    const speakers = new Speakers({ registry, processes, now: Date.now, agent, cwd: root, named });
    const found = await speakers.find({ session, subagent: null });
    return found.ok ? found.value.key.replace(/_[^_]*$/, "") : found.error;
  };
  expect(await asks(null)).toMatch(/^opencode_ses-first/);
  await begin("ses_second");
  expect(await asks("ses_second")).toMatch(/^opencode_ses-second/);
  expect(await asks("of an outer agent")).toMatch(/^Nothing was read or written: this agent has several sessions/);
  // What a call says comes before what the server was started with.
  expect(await asks("ses_second", "ses_first")).toMatch(/^opencode_ses-first/);
  expect(await asks(null, "nobody's")).toMatch(/^Nothing was read or written: this agent has several sessions/);
  expect(await asks(null)).toMatch(/^Nothing was read or written: this agent has several sessions/);
});
