// M10 with the other clients: under each one's default permissions a note is written without a question and Claude Code reads it, and the other way.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { resultsIn, toldOfNotes } from "./notes.ts";
import { OTHER_CLIENTS } from "./others/all-others.ts";
import type { OtherClient } from "./others/other-client.ts";
import { installed, makePlace, type Place, type Running } from "./place.ts";
import { requestsOf } from "./seen.ts";

const programs = installed();
const [theirs, ours] = ["Comments are tokens: the formatter needs them", "Names are interned: comparing is one look"];
const others = OTHER_CLIENTS.filter(({ serverTool }) => serverTool !== null);

test.each(others.map((other) => [other.folder, other] as const))(
  "M10 a note of %s under default permissions is read by Claude Code's next session, and Claude Code's by its next",
  async (_, other) => {
    await using model = await startFakeModel((request) => scripted(request, other));
    using place = makePlace(programs, model.port, [other]);
    place.run("skein", "install", "all", "--yes");

    if (other.approval !== undefined) {
      await ended(other.startPlain(place, "UNAPPROVED-TASK decide about comments"));
      const unapproved = requestsOf(model, "UNAPPROVED-TASK").map(resultsIn);
      const denials = unapproved.at(-1)?.match(/Permission denied because no interactive user response was available/g);
      expect(denials?.length).toBe(3);
      // What only reads runs unasked all the same.
      expect(unapproved.at(-1)).toContain("No other agent session is recorded in this repository.");
      expect(unapproved.at(-1)).toContain("Notes of agent sessions on branch main");
      expect(JSON.parse(place.run("skein", "memory", "show", "--json")).notes).toEqual([]);
      for (const [path, text] of Object.entries(other.approval(place.repository)))
        writeFileSync(join(place.home, path), text);
    }
    await ended(other.startPlain(place, "FIRST-TASK decide about comments"));
    const first = requestsOf(model, "FIRST-TASK");
    expect(first.map(resultsIn)[1]).toMatch(/Noted on branch main in \/.*\/decisions\.md/);
    // It finds its own session: no other is there, and the caller is none of the others.
    expect(first.map(resultsIn)[2]).toContain("No other agent session is recorded in this repository.");
    expect(toldOfNotes(first[0]?.body ?? "")).toMatch(/^- this session's notes: \/.*\(scratchpad\.md, decisions\.md/m);

    await ended(startClaude(place, "SECOND-TASK what was decided?"));
    const second = requestsOf(model, "SECOND-TASK");
    expect(second.map(resultsIn)[1]).toMatch(new RegExp(`${other.client} \\S+, decision:\\n  > ${theirs}`));

    await ended(other.startPlain(place, "THIRD-TASK what else was decided?"));
    const third = requestsOf(model, "THIRD-TASK");
    expect(third.map(resultsIn)[1]).toMatch(new RegExp(`claude-code \\S+, decision:\\n *> ${ours}`));

    const { notes } = JSON.parse(place.run("skein", "memory", "show", "--json"));
    expect(notes.map(({ text, branch }: { text: string; branch: string }) => [text, branch])).toEqual([
      [ours, "main"],
      [theirs, "main"],
    ]);
    place.run("skein", "uninstall", "all", "--yes");
    for (const [path, text] of Object.entries(other.files(model.port)))
      expect([path, readFileSync(join(place.home, path), "utf8")]).toEqual([path, text]);
    expect(model.outside.filter((host) => other.asksOutside?.test(host) !== true)).toEqual([]);
  },
  // Up to four sessions one after the other, of clients that take most of a minute to start on a slow machine.
  600_000,
);

async function ended(session: Running): Promise<void> {
  expect([await session.ended, session.output()]).toEqual([0, expect.anything()]);
}

function startClaude(place: Place, prompt: string): Running {
  return place.start("claude", "-p", prompt, "--output-format", "stream-json", "--verbose");
}

function scripted(request: ModelRequest, { serverTool }: OtherClient): Answer {
  const named = (tool: string): string => serverTool?.(tool) ?? tool;
  const claude = (tool: string): string => `mcp__skein__${tool}`;
  const writing = [
    { calls: [{ name: named("note"), args: { kind: "decision", text: theirs } }] },
    { calls: [{ name: named("who"), args: {} }] },
  ];
  const calls: Readonly<Record<string, readonly Answer[]>> = {
    "UNAPPROVED-TASK": [
      ...writing,
      { calls: [{ name: named("set_intent"), args: { text: "comments" } }] },
      { calls: [{ name: named("current_task"), args: { text: "comments" } }] },
      { calls: [{ name: named("read_memory"), args: {} }] },
    ],
    "FIRST-TASK": writing,
    "SECOND-TASK": [
      { calls: [{ name: claude("read_memory"), args: {} }] },
      { calls: [{ name: claude("note"), args: { kind: "decision", text: ours } }] },
    ],
    "THIRD-TASK": [{ calls: [{ name: named("read_memory"), args: {} }] }],
  };
  const task = Object.keys(calls).find((name) => request.user.includes(name));
  if (task === undefined || request.tools === 0) return { say: "ok" };
  return calls[task]?.[request.turn] ?? { say: "Done." };
}
