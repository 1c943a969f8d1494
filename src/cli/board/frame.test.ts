// The board's screen and keys, over made-up sessions: nothing wider or longer than the terminal, everything in words where there is no colour.

import picocolors from "picocolors";
import { expect, test } from "vitest";
import { boardRow } from "../../sessions/board/board-row.ts";
import { type BoardView, boardView } from "../../sessions/board/view.ts";
import { asSessionKey } from "../../sessions/presence/ids.ts";
import type { Row } from "../../sessions/presence/rows.ts";
import { noTurn, type SessionState, type Turn } from "../../sessions/presence/session-state.ts";
import { boardFrame, type FrameInput, wholeBoard } from "./frame.ts";
import { firstUi, type Key, pressed, type Ui } from "./ui.ts";

const now = Date.UTC(2026, 10, 30, 12, 0, 0);
const MINUTE = 60_000;
const working: SessionState = { kind: "working" };

interface Made {
  readonly session: string;
  readonly project?: string;
  readonly client?: Row["client"];
  readonly state?: SessionState;
  readonly turn?: Partial<Turn>;
  readonly intent?: string;
  readonly dead?: boolean;
}

function made({
  session,
  project = "app",
  client = "claude-code",
  state = working,
  turn = {},
  intent,
  dead = false,
}: Made): Row {
  const repository = `/src/${project}/.git`;
  return {
    key: asSessionKey(session),
    client,
    session,
    agent: null,
    name: session,
    liveness: dead ? { kind: "dead", why: "its process has ended" } : { kind: "live" },
    state,
    turn: { ...noTurn, state, since: now - 4 * MINUTE, toldAt: now - 4 * MINUTE, ...turn },
    standing: { worktree: `/src/${project}`, branch: "main", commit: null },
    intent: intent === undefined ? null : { text: intent, by: "prompt", at: now },
    files: [{ path: "src/größe.ts", worktree: null, how: "tool", from: now, at: now }],
    filesForgotten: 0,
    unattributed: [],
    firstAt: now - 9 * MINUTE,
    lastAt: now - 4 * MINUTE,
    facts: {
      client,
      session,
      agent: null,
      repository,
      cwd: `/src/${project}`,
      process: { pid: 7, start: null },
      shared: false,
      machine: { host: "desk", boot: null, namespace: null },
      terminal: null,
      tmux: null,
      transcript: null,
    },
    crew: null,
    earlier: [],
    subagents: [],
  };
}

const view = (rows: readonly Row[]): BoardView =>
  boardView(
    rows.map((row) => boardRow(row, { judge: ({ turn }) => ({ turn, source: "hooks" }), aliveAt: 0, now })),
    [],
    now,
  );

const five = view([
  made({ session: "aaaa1111", intent: "Make the parser accept comments" }),
  made({
    session: "bbbb2222",
    client: "codex",
    state: { kind: "waiting", reason: "permission: Bash" },
    intent: "Fix the flaky login test",
  }),
  made({
    session: "cccc3333",
    state: { kind: "waiting", reason: "a prompt" },
    turn: { endedAt: now - 4 * MINUTE },
    project: "web",
  }),
  made({ session: "dddd4444", client: "skein", project: "web", dead: true, intent: "\u001b[31mred\u202e" }),
  made({ session: "eeee5555", project: "web", state: { kind: "ended", reason: "exit" } }),
]);

const input = (more: Partial<FrameInput> = {}): FrameInput => ({
  view: five,
  ui: firstUi,
  now,
  columns: 80,
  rows: 14,
  colors: picocolors.createColors(false),
  message: null,
  today: null,
  ...more,
});
/** Columns of what these tests show: a colour has none, a Japanese letter two, all others one. */
const widthOf = (line: string): number =>
  [...line.replace(/\u001b\[\d+m/g, "")].reduce((sum, char) => sum + (/[\u3000-\u9fff]/.test(char) ? 2 : 1), 0);

const shown = (frame: readonly string[]) => frame.map((line) => line.trimEnd()).filter((line) => line !== "");

test("B14 80 columns without colour: who waits is said by mark and word, and each session has its intent and files", () => {
  expect(shown(boardFrame(input())).slice(1, -1)).toEqual([
    "app  2 sessions, 1 for you",
    "›▶ codex bbbb2222       WAITS 4m   permission: Bash   main",
    '     "Fix the flaky login test"  "größe.ts"',
    " ● claude-code aaaa1111 works 4m   last event 4m ago  main",
    '     "Make the parser accept comments"  "größe.ts"',
    "web  2 sessions, 1 for you",
    " ▶ claude-code cccc3333 WAITS 4m   turn is over       main",
    '     "größe.ts"',
    " ✗ skein dddd4444       died 4m    its process has e… main",
    '     "�[31mred�"  "größe.ts"',
  ]);
});

test("B15 never more lines or columns than the terminal has, colours and wide letters or not, and the selected session among them", () => {
  const many = view(
    Array.from({ length: 200 }, (_, index) =>
      made({
        session: `s${index}`,
        project: `p${index % 20}`,
        intent: index % 2 === 0 ? "日本語の長い説明文です。".repeat(6) : "x".repeat(190),
      }),
    ),
  );
  for (const [columns, rows] of [
    [80, 24],
    [200, 60],
    [40, 10],
    [80, 8],
    [80, 7],
    [40, 4],
    [20, 3],
  ] as const) {
    for (const colors of [true, false].map((on) => picocolors.createColors(on))) {
      for (const panel of ["none", "details", "help"] as const) {
        const ui = { ...firstUi, selected: "s117", panel };
        const frame = boardFrame(input({ view: many, ui, columns, rows, colors }));
        expect([frame.length, frame.filter((line) => widthOf(line) > columns)]).toEqual([rows, []]);
        expect(frame.join("\n")).toMatch(/›.*s117/);
      }
    }
  }
});

test("what stands below the list: details of the selected session, and where its state is known from", () => {
  const frame = shown(boardFrame(input({ ui: { ...firstUi, panel: "details" }, columns: 100, rows: 30 })));
  expect(frame.slice(frame.findIndex((line) => line.startsWith("─")) + 1, -1)).toEqual([
    "  session    codex bbbb2222",
    "  state      waiting (permission: Bash) since 2026-11-30 11:56 UTC (4 min ago), as its hooks told",
    "  last event 2026-11-30 11:56 UTC (4 min ago); 0 turns, 0 prompts",
    "  branch     main in /src/app",
    '  intent     "Fix the flaky login test"',
    '  edited     "src/größe.ts"',
    "  at         process 7, host desk",
  ]);
});

test("keys: move, filter, and what is selected stays selected when lines move", () => {
  const press = (ui: Ui, ...keys: readonly (Key | string)[]): Ui =>
    keys.reduce<Ui>((at, key) => pressed(at, typeof key === "string" ? { kind: "text", text: key } : key, five).ui, ui);
  const sessions = (ui: Ui) =>
    shown(boardFrame(input({ ui }))).flatMap((line) => /^(.)[▶●✗·] \S+ (\w+)/u.exec(line)?.slice(1, 3).join("") ?? []);
  const [down, enter, esc] = (["down", "enter", "escape"] as const).map((kind) => ({ kind }));
  expect([
    sessions(press(firstUi, "j", down ?? "j")),
    sessions(press(firstUi, "w", "G")),
    sessions(press(firstUi, "/", ..."login", enter ?? "")),
    sessions(press(firstUi, "/", ..."login", enter ?? "", esc ?? "")),
    sessions(press(firstUi, "a", "G")),
    sessions(press(firstUi, "j", { kind: "tab" })),
  ]).toEqual([
    [" bbbb2222", " aaaa1111", "›cccc3333", " dddd4444"],
    [" bbbb2222", "›cccc3333"],
    ["›bbbb2222"],
    ["›bbbb2222", " aaaa1111", " cccc3333", " dddd4444"],
    [" bbbb2222", " aaaa1111", " cccc3333", " dddd4444", "›eeee5555"],
    [" bbbb2222", " aaaa1111", "›cccc3333", " dddd4444"],
  ]);
  expect([
    pressed(firstUi, { kind: "text", text: "q" }, five).effect,
    pressed(firstUi, { kind: "text", text: "f" }, five).effect,
  ]).toMatchObject([{ kind: "quit" }, { kind: "focus", row: { row: { session: "bbbb2222" } } }]);
});

test("printed once: no line without words, where a session has neither intent nor files", () => {
  const bare = { ...made({ session: "bare" }), files: [] };
  const lines = wholeBoard({
    view: view([bare]),
    ui: firstUi,
    now,
    columns: 80,
    colors: picocolors.createColors(false),
  });
  expect(lines.map((line) => line.trim().slice(0, 20).trim())).toEqual(
    ["0 wait for you · 1 wo", "app", "● claude-code bare"].map((line) => line.slice(0, 20).trim()),
  );
});
