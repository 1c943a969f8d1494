// M10 with real clients: under their default permissions and sandbox a note is written without a question, and the next session, of the other
// client, reads it.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { resultsIn as results, toldOfNotes as told } from "./notes.ts";
import { claudeSettings, codexConfig, installed, makePlace, type Place, type Running } from "./place.ts";
import type { Client } from "./sessions.ts";

const programs = installed();
const otherOf = { "claude-code": "codex", codex: "claude-code" } as const;

/** As a person starts them who has set nothing: what asks is refused, since nobody is there. */
function startPlain(place: Place, client: Client, prompt: string): Running {
  if (client === "claude-code")
    return place.start("claude", "-p", prompt, "--output-format", "stream-json", "--verbose");
  // In a home that is thrown away the test may stand in for the person who approves hooks; the sandbox and the approvals stay.
  return place.start("codex", "exec", "--json", "--dangerously-bypass-hook-trust", prompt);
}

const decision = "Comments are tokens: the formatter needs them";

test.each(["claude-code", "codex"] as const)(
  "M10 a note of %s under default permissions is read by the next session, of the other client",
  async (client) => {
    await using model = await startFakeModel(scripted);
    using place = makePlace(programs, model.port);
    place.run("skein", "install", "--yes");
    const writer = startPlain(place, client, "FIRST-TASK decide about comments");
    expect([await writer.ended, writer.output()]).toEqual([0, expect.anything()]);
    const first = requestsOf(model.requests, "FIRST-TASK");
    expect(first.map(results)[1]).toMatch(/Noted on branch main in \/.*\/decisions\.md/);
    const [block] = first.map(({ body }) => told(body));
    expect(block).toMatch(/^- this session's notes: \/.*\(scratchpad\.md, decisions\.md, questions\.md\)$/m);
    expect(block).toMatch(/^- merged notes on branch main, made .*: \/.*\/merged\.md \(0 notes/m);
    expect(block).toMatch(/^- current task of branch main: none was written yet$/m);

    const reader = startPlain(place, otherOf[client], "SECOND-TASK what was decided?");
    expect([await reader.ended, reader.output()]).toEqual([0, expect.anything()]);
    const second = requestsOf(model.requests, "SECOND-TASK");
    expect(second.map(results)[1]).toMatch(new RegExp(`${client} \\S+, decision:\\n  > ${decision}`));
    const merged = /merged notes on branch main, made [^:]*:\d\d UTC: (\S+) \(1 note of 1 session/.exec(
      told(second[0]?.body ?? ""),
    );
    expect(readFileSync(merged?.[1] ?? "", "utf8")).toContain(`  > ${decision}\n`);

    const shown = JSON.parse(place.run("skein", "memory", "show", "--json"));
    expect(shown.notes.map(({ text, branch, file }: Shown) => ({ text, branch, file }))).toEqual([
      { text: decision, branch: "main", file: "decisions" },
    ]);
    place.run("skein", "uninstall", "--yes");
    expect(readFileSync(join(place.home, ".claude", "settings.json"), "utf8")).toBe(claudeSettings);
    expect(readFileSync(join(place.home, ".codex", "config.toml"), "utf8")).toBe(codexConfig(model.port));
    // Claude Code has made its own file by now: nothing of ours is left in it.
    const own = join(place.home, ".claude.json");
    expect(existsSync(own) ? readFileSync(own, "utf8") : "").not.toMatch(/skein-hook|"mcpServers":/);
    expect(model.outside).toEqual([]);
  },
);

interface Shown {
  readonly text: string;
  readonly branch: string;
  readonly file: string;
}

function scripted(request: ModelRequest): Answer {
  if (request.tools === 0 || request.turn > 0) return { say: "ok" };
  if (request.user.includes("FIRST-TASK")) return call(request, "note", { kind: "decision", text: decision });
  return request.user.includes("SECOND-TASK") ? call(request, "read_memory", {}) : { say: "ok" };
}

/** Codex keeps the tools of a server together, Claude Code puts the server's name before each. */
function call({ body }: ModelRequest, tool: string, args: object): Answer {
  const apart = "input" in JSON.parse(body);
  return { calls: [apart ? { name: tool, namespace: "mcp__skein", args } : { name: `mcp__skein__${tool}`, args }] };
}

function requestsOf(requests: readonly ModelRequest[], task: string): readonly ModelRequest[] {
  return requests.filter(({ user, tools }) => user.includes(task) && tools > 0);
}
