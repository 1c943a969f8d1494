// The board as the whole program: hooks as clients start them, and what `skein board` and `skein watch` make of them.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { HookedAgent } from "../support/hooked-agents.ts";
import { bundle, eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { hasTmux, terminal } from "../support/tmux.ts";

const test = smallTest.concurrent;

interface Shown {
  readonly session: string;
  readonly liveness: string;
  readonly state: string;
  readonly reason: string | null;
  readonly needsPerson: boolean;
  readonly died: boolean;
  readonly stateFrom: string;
  readonly prompts: number;
  readonly turns: number;
}

async function board({ box, repository }: Small): Promise<readonly Shown[]> {
  const { projects } = lastJson(await skein(box, { args: ["board", "--json"], cwd: repository })) as {
    readonly projects: readonly { readonly sessions: readonly Shown[] }[];
  };
  return projects.flatMap(({ sessions }) => sessions);
}

const brief = (rows: readonly Shown[]) =>
  rows.map(({ session, state, reason }) => `${session} ${state} ${reason ?? ""}`.trim());

/** As if all that was recorded had happened so much earlier. */
function age({ box }: Small, ms: number): void {
  for (const path of readdirSync(join(box.state, "presence"), { recursive: true, encoding: "utf8" })) {
    const file = join(box.state, "presence", path);
    if (path.endsWith("summary.json") || path.endsWith(".folds.json")) rmSync(file);
    if (!path.endsWith("events.jsonl")) continue;
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/"at":(\d+)/g, (_, at) => `"at":${Number(at) - ms}`),
    );
  }
}

test("P8 P17 P19 P20: one session through its turns: work, a permission, its answer, the background, an end", async ({
  small,
}) => {
  small.make();
  using agent = new HookedAgent(small.box, { session: "s", cwd: small.repository });
  await agent.fire("UserPromptSubmit", { prompt: "Rewrite the first file" });
  age(small, 10 * 60_000);
  const seen: (readonly string[])[] = [brief(await board(small))];
  const call = { tool_name: "Bash", tool_input: { command: "true" }, tool_use_id: "t1" };
  await agent.fire("PreToolUse", call);
  await agent.fire("PermissionRequest", call);
  await agent.fire("Notification", { notification_type: "permission_prompt" });
  seen.push(brief(await board(small)));
  await agent.fire("PostToolUse", { ...call, tool_response: {} });
  seen.push(brief(await board(small)));
  await agent.fire("Stop", { background_tasks: [{ id: "a", type: "subagent" }], session_crons: [] });
  seen.push(brief(await board(small)));
  await agent.fire("UserPromptSubmit", { prompt: "<task-notification>\n<task-id>a</task-id>" });
  await agent.fire("Stop", { background_tasks: [], session_crons: [] });
  const last = await board(small);
  expect([...seen, brief(last)]).toEqual([
    ["s working"],
    ["s waiting permission: Bash"],
    ["s working"],
    ["s working"],
    ["s waiting a prompt"],
  ]);
  expect(last).toMatchObject([{ prompts: 1, turns: 1, needsPerson: true, stateFrom: "hooks" }]);
});

test("P18 an interrupt that no event tells; P16 a server's silent session; a death in mid-turn", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  const transcript = join(box.home, "t.jsonl");
  using server = new HookedAgent(box, { session: "server", cwd: repository });
  await server.fire("SessionStart", { cursor_version: "2.4.0", transcript_path: undefined });
  age(small, 45 * 60_000);
  using interrupted = new HookedAgent(box, { session: "interrupted", cwd: repository });
  using killed = new HookedAgent(box, { session: "killed", cwd: repository });
  await interrupted.fire("UserPromptSubmit", { prompt: "Think for an hour", transcript_path: transcript });
  await killed.fire("UserPromptSubmit", { prompt: "Die in the middle" });
  const before = await board(small);
  const message = { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] };
  writeFileSync(transcript, `${JSON.stringify({ type: "user", message, timestamp: new Date().toISOString() })}\n`);
  await killed.kill();
  const after = await board(small);
  const told = (rows: readonly Shown[]) =>
    rows
      .map(({ session, liveness, state, reason, died, stateFrom }) => [
        session,
        liveness,
        state,
        reason,
        died,
        stateFrom,
      ])
      .toSorted();
  expect(told(before)).toEqual([
    ["interrupted", "live", "working", null, false, "hooks"],
    ["killed", "live", "working", null, false, "hooks"],
    ["server", "unknown", "waiting", "a prompt", false, "hooks"],
  ]);
  expect(told(after)).toEqual([
    ["interrupted", "live", "waiting", "interrupted", false, "transcript"],
    ["killed", "dead", "ended", "its process has ended", true, "process"],
    ["server", "unknown", "waiting", "a prompt", false, "hooks"],
  ]);
});

test("skein watch: what is there, then each change, a line of JSON each; Ctrl-C ends it well", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  await agent.fire("UserPromptSubmit", { prompt: "Rewrite the first file" });
  const watch = startSkein(box, { args: ["watch"], cwd: repository });
  const lines: string[] = [];
  watch.child.stdout?.on("data", (text: string) => lines.push(...text.split("\n").filter((line) => line !== "")));
  await eventually("the session is told", () => (lines.length === 1 ? true : null));
  await agent.fire("Stop", { background_tasks: [] });
  await eventually("its wait is told", () => (lines.length === 2 ? true : null));
  await agent.edit("a.txt");
  await eventually("its work is told", () => (lines.length === 3 ? true : null));
  watch.kill("SIGINT");
  const { exitCode } = await watch.ended;
  const events = lines.map((line) => JSON.parse(line)).map(({ event, was, session }) => [event, was, session.state]);
  expect([exitCode, events]).toEqual([
    0,
    [
      ["appeared", null, "working"],
      ["state", "working", "waiting"],
      ["state", "waiting", "working"],
    ],
  ]);
});

(hasTmux ? test : smallTest.skip)(
  "B12 one notice for each end of a background session's turn, none for a pane in front; the live board, its keys, and the terminal afterwards",
  async ({ small }) => {
    small.make();
    const { box, repository } = small;
    // Stands in for the desktop's.
    const desktop = join(box.home, "notices");
    writeFileSync(join(box.root, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${desktop}\n`);
    chmodSync(join(box.root, "notify-send"), 0o755);
    const env = { ...box.env, PATH: `${box.root}:${box.env.PATH}` };
    // Two panes of an inner tmux, whose one client is on a terminal of ours: the second window is in front.
    const socket = join(box.root, "inner");
    const inner = `tmux -u -S ${socket} -f /dev/null`;
    const start = `${inner} new-session -d 'sleep 600' && ${inner} new-window 'sleep 600' && exec ${inner} attach`;
    using client = terminal({ ...box, env }, { columns: 90, rows: 20, command: `sh -c "${start}"` });
    try {
      const panes = await eventually("the inner tmux shows its second window", () => {
        const listed = client.run(["tmux", "-S", socket, "list-clients", "-F", "#{pane_id}"]);
        return listed === "%1\n" ? (["%0", "%1"] as const) : null;
      });
      const at = (pane: string) => ({ ...box, env: { ...env, TMUX: `${socket},1,0`, TMUX_PANE: pane } });
      using behind = new HookedAgent(at(panes[0]), { session: "behind", cwd: repository });
      using front = new HookedAgent(at(panes[1]), { session: "front", cwd: repository });
      for (const agent of [behind, front]) await agent.fire("UserPromptSubmit", { prompt: "Rewrite the file" });
      const command = `${process.execPath} ${bundle} board --notify desktop; echo ENDED $?; sleep 600`;
      using screen = terminal({ ...box, env, root: box.temporary }, { columns: 80, rows: 12, command });
      const rowsWith = (pattern: RegExp) => screen.lines().filter((line) => pattern.test(line)).length;
      await eventually("the board is there", () => (rowsWith(/works/) === 2 ? true : null));
      // The one behind is the second: when it is told of, the other has been decided on.
      for (const agent of [front, behind]) {
        await agent.fire("Stop", { background_tasks: [] });
        await agent.fire("Notification", { notification_type: "idle_prompt" });
      }
      await eventually("both wait", () => (rowsWith(/WAITS now +turn is over/) === 2 ? true : null));
      await eventually("the one behind is told of", () => (existsSync(desktop) ? true : null));
      screen.type("G");
      await eventually("it is selected", () => (rowsWith(/^›▶ claude-code behind/) === 1 ? true : null));
      screen.type("f");
      // Bringing a pane to the front takes several calls of tmux: the board is left while they are under way.
      screen.type("q");
      await eventually("its pane is brought to the front", () =>
        client.run(["tmux", "-S", socket, "list-clients", "-F", "#{pane_id}"]) === "%0\n" ? true : null,
      );
      await eventually("the terminal is as before", () =>
        rowsWith(/^ENDED 0$/) === 1 && rowsWith(/WAITS/) === 0 ? true : null,
      );
      expect(screen.ask("#{cursor_flag} #{alternate_on}")).toBe("1 0");
      expect(readFileSync(desktop, "utf8").trimEnd().split("\n")).toEqual([
        expect.stringMatching(
          /^--app-name=skein -- skein claude-code behind in repository: turn is over "Rewrite the file"$/,
        ),
      ]);
    } finally {
      client.run(["tmux", "-S", socket, "kill-server"]);
    }
  },
);

test("Ctrl-Z: the shell has its terminal back, and fg brings the board again", { skip: !hasTmux }, async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  await agent.fire("UserPromptSubmit", { prompt: "Rewrite the first file" });
  using screen = terminal(box, { columns: 80, rows: 12, command: "bash --norc -i" });
  const shows = (pattern: RegExp) => () => (pattern.test(screen.screen().join("\n")) ? true : null);
  await eventually("a shell", shows(/[$#] *$/m));
  screen.type(`${process.execPath} ${bundle} board`);
  screen.type("Enter");
  await eventually("the board", shows(/claude-code s +works/));
  screen.type("C-z");
  await eventually("the shell", shows(/Stopped/));
  const away = screen.ask("#{cursor_flag} #{alternate_on}");
  screen.type("fg");
  screen.type("Enter");
  await eventually("the board again", shows(/^.*1 works.*\n.*\n.*claude-code s +works/));
  expect([away, screen.ask("#{cursor_flag} #{alternate_on}")]).toEqual(["1 0", "0 1"]);
});

test("once, today and the status lines, with nobody here and with one that waits", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  const say = async (...args: readonly string[]) => {
    const { exitCode, stdout } = await skein(box, { args, cwd: repository, input: '{"session_id":"other"}' });
    return [exitCode, stdout.trimEnd().split("\n")] as const;
  };
  expect(await say("board", "--once")).toEqual([0, ["no agent sessions at work"]]);
  const slip = await skein(box, { args: ["board", "--once", "--repo", "reposiory"], cwd: repository });
  expect([slip.exitCode, slip.stderr]).toEqual([0, `note: there is no directory ${join(repository, "reposiory")}\n`]);
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  await agent.fire("UserPromptSubmit", { prompt: "Rewrite the first file" });
  await agent.fire("Stop", { background_tasks: [] });
  age(small, 5 * 60_000);
  expect([
    await say("board"),
    await say("statusline", "tmux"),
    await say("statusline", "claude-code"),
    (await say("board", "--today"))[1]?.[2],
    (await say("statusline", "vim"))[0],
  ]).toEqual([
    [
      0,
      [
        "1 waits for you · 0 work · 1 project",
        "repository",
        " ▶ claude-code s        WAITS 5m   turn is over       main",
        '     "Rewrite the first file"',
      ],
    ],
    [0, ["#[bold]▶ 1 waits for you: repository#[default]"]],
    [0, ["\u001b[1m\u001b[33m▶ 1 waits for you: repository\u001b[39m\u001b[22m"]],
    expect.stringMatching(/^repositor claude-code s +\d+ s +5 min +5 min at \d\d:\d\d +1/),
    2,
  ]);
});

test("P26 the status line in Claude Code's settings: only when asked for, shown through the launcher, gone byte for byte", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  const settings = join(box.home, ".claude", "settings.json");
  mkdirSync(join(box.home, ".claude"));
  writeFileSync(settings, '{"model": "opus"}');
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  await agent.fire("SessionStart", { source: "startup" });
  const run = async (...args: readonly string[]) => (await skein(box, { args, cwd: repository })).exitCode;
  expect([await run("install", "claude-code", "--statusline", "--yes")]).toEqual([0]);
  const { statusLine } = JSON.parse(readFileSync(settings, "utf8"));
  const show = (session_id: string): string =>
    execFileSync("sh", ["-c", statusLine.command], {
      env: box.env,
      encoding: "utf8",
      input: JSON.stringify({ session_id }),
    });
  expect([show("another"), show("s")]).toEqual([expect.stringContaining("▶ 1 waits for you: repository"), "\n"]);
  expect([await run("uninstall", "--yes"), readFileSync(settings, "utf8")]).toEqual([0, '{"model": "opus"}']);
});
