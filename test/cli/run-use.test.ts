// `skein run` as people and programs use it: what goes to which output, where the task comes from, going on with a run, the list.

import { execFile } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test as plainTest } from "vitest";
import { processesIn, type Sandbox, sandbox } from "../support/sandbox.ts";
import { bash, type Call, call, type Rule, write, writeScript } from "../support/script.ts";
import { type Ended, eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { hasTmux, terminal } from "../support/tmux.ts";

interface Place {
  readonly box: Sandbox;
  readonly directory: string;
  /** Writes the script and answers what names it as the model. */
  model(rules: readonly Rule[]): readonly string[];
}

const test = plainTest.extend<{ place: Place }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs from this pattern.
  place: async ({}, use) => {
    using box = sandbox();
    const directory = join(box.root, "work");
    mkdirSync(directory);
    const model = (rules: readonly Rule[]) => ["--model", writeScript(join(box.root, "script.json"), rules)];
    await use({ box, directory, model });
  },
}).concurrent;

const say = (text: string): Rule => ({ say: text });
const turn = (number: number, answer: string | readonly Call[]): Rule => ({
  turn: number,
  ...(typeof answer === "string" ? { say: answer } : { calls: answer }),
});

/** Runs in the place's directory. */
function run({ box, directory }: Place, args: readonly string[], input?: string | number): Promise<Ended> {
  return skein(box, { args: ["run", ...args], cwd: directory, ...(input === undefined ? {} : { input }) });
}

function outcomeOf(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  return new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("standard output is the answer and nothing else; progress with each call stands on standard error", async ({
  place,
}) => {
  const rules = [turn(1, [bash("echo seen"), call("glob", { pattern: "*" })]), turn(2, "It is\nso.")];
  const ended = await run(place, ["Look", ...place.model(rules)]);
  expect([ended.exitCode, ended.stdout]).toEqual([0, "It is\nso.\n"]);
  expect(ended.stderr).toMatch(/> bash echo seen\n[\s\S]* {2}✓ bash echo seen [\d.]+ m?s/);
  expect(ended.stderr).toMatch(
    /2 requests in [\d.]+ m?s: tokens unavailable, cost unavailable \(scripted\); 2 requests without figures\nmore: skein run --resume \d{8}-/,
  );
});

test("stream-json is a line an event, from the start to the result, each with who it is of", async ({ place }) => {
  const rules = [turn(1, [call("read_file", { path: "none" })]), turn(2, "gone")];
  const ended = await run(place, ["Look", "--output", "stream-json", ...place.model(rules)]);
  const events = linesOf(ended.stdout);
  expect(events.map(({ type }) => type)).toEqual([
    ...["start", "request_started", "request_ended", "call_started", "call_ended"],
    ...["request_started", "text", "request_ended", "agent_ended", "result"],
  ]);
  expect(events[3]).toEqual({
    type: "call_started",
    agent: "a0",
    parent: null,
    turn: 1,
    callId: "call-a0-1-1",
    name: "read_file",
    arguments: { path: "none" },
  });
  expect(events[4]).toMatchObject({ callId: "call-a0-1-1", isError: true, outcome: "error" });
  expect(events.at(-1)).toMatchObject({ outcome: "stopped", text: "gone", requests: 2, exitCode: 0 });
});

describe("where the task comes from", () => {
  // The answer tells what the task was: the first rule whose pattern fits. What a run is told of the others that are here comes after it.
  const rules = [
    { last: "^as data\\n\\n<stdin>\\n\\+ a line\\n\\n</stdin>(\\n\\n(?!<)|$)", say: "both" },
    { last: "^from stdin\\n?(\\n\\n(?!<)|$)", say: "stdin" },
    { last: "^named(\\n\\n(?!<)|$)", say: "named" },
    say("something else"),
  ];

  plainTest("named, piped, or both; and nothing waits for an input that is only open", async () => {
    using box = sandbox();
    const model = ["--model", writeScript(join(box.root, "script.json"), rules)];
    const file = join(box.root, "input");
    writeFileSync(file, "+ a line\n");
    const descriptor = openSync(file, "r");
    const asked = [
      skein(box, { args: ["run", ...model, "-p"], input: "from stdin" }),
      skein(box, { args: ["run", "as data", ...model], input: descriptor }),
      // A socket that a program left open is not read.
      skein(box, { args: ["run", "named", ...model], input: "ignored" }),
    ];
    const ended = await Promise.all(asked);
    closeSync(descriptor);
    expect(ended.map(({ stdout }) => stdout.trim())).toEqual(["stdin", "both", "named"]);
  });

  plainTest("no task, a limit that is none and two formats are refused before anything is made", async () => {
    using box = sandbox();
    const model = ["--model", writeScript(join(box.root, "script.json"), rules)];
    const refused = await Promise.all([
      skein(box, { args: ["run", ...model] }),
      skein(box, { args: ["run", "look", "--parallel", "0", ...model] }),
      skein(box, { args: ["run", "look", "--json", "--output", "stream-json", ...model] }),
    ]);
    const first = (text: string) => text.split("\n").find((line) => line !== "");
    expect(refused.map(({ exitCode, stderr }) => [exitCode, first(stderr)])).toEqual([
      [2, 'error: no task was named: skein run "<task>", or -p to read it from standard input'],
      [2, "skein: --parallel 0: a whole number from 1 to 1000 is needed"],
      [2, "error: --json and --output stream-json exclude each other"],
    ]);
    expect(existsSync(join(box.state, "runs"))).toBe(false);
  });
});

test("H5 a cancelled run goes on with its conversation, and then with what is to be done next", async ({ place }) => {
  const rules = [
    turn(1, [write("made.txt", "made\n"), bash("echo x >> ran; touch started; sleep 300")]),
    { last: "cancelled|aborted", say: "I was stopped at the second call." },
    { last: "^And now\\?$", say: "Now it is done." },
  ];
  const model = place.model(rules);
  const running = startSkein(place.box, { args: ["run", "Do both", "--json", ...model], cwd: place.directory });
  await eventually("the command runs", () => (existsSync(join(place.directory, "started")) ? true : null));
  // From outside, while it is at work.
  const [listed] = JSON.parse((await run(place, ["--list", "--json"])).stdout);
  expect(listed).toMatchObject({ kind: "run", state: "running", goal: "Do both" });
  const held = await run(place, ["--resume", listed.runId, ...model]);
  expect([held.exitCode, held.stderr.split("\n")[0]]).toEqual([
    2,
    `skein: another process is at work on ${listed.runId}`,
  ]);
  running.kill("SIGINT");
  const { runId } = lastJson(await running.ended);

  // Elsewhere: the run knows its directory and its model.
  const resumed = await skein(place.box, { args: ["run", "--resume", String(runId)] });
  expect([resumed.exitCode, resumed.stdout]).toEqual([0, "I was stopped at the second call.\n"]);
  expect(resumed.stderr).toContain(`run ${runId} goes on in ${place.directory}`);
  const over = await run(place, ["--resume", String(runId)]);
  expect([over.exitCode, over.stderr.split("\n")[0]]).toEqual([2, `skein: the run ${runId} has done its task`]);
  const next = await run(place, ["--resume", String(runId).slice(-4), "And now?", "--json"]);
  expect([next.exitCode, lastJson(next)]).toEqual([
    0,
    expect.objectContaining({ runId, text: "Now it is done.", requests: 3 }),
  ]);
  expect(readFileSync(join(place.directory, "ran"), "utf8")).toBe("x\n");
  rmSync(place.directory, { recursive: true });
  const gone = await skein(place.box, { args: ["run", "--resume", String(runId), "more"] });
  expect([gone.exitCode, gone.stderr.split("\n")[0]]).toEqual([
    2,
    expect.stringMatching(new RegExp(`^skein: the directory of ${runId} is not at ${place.directory}`)),
  ]);
});

test("H5 killed in the middle of a command, it goes on without running it again", async ({ place }) => {
  const rules = [
    turn(1, [bash("echo x >> ran; touch started; sleep 300"), write("later.txt", "later\n")]),
    { last: "^interrupted: the program ended[^]*later", say: "Told." },
  ];
  const running = startSkein(place.box, { args: ["run", "Do", ...place.model(rules)], cwd: place.directory });
  await eventually("the command runs", () => (existsSync(join(place.directory, "started")) ? true : null));
  running.kill("SIGKILL");
  await running.ended;
  // H15: the command does not outlive the program.
  await eventually("its command ends", () => (processesIn(place.box).length === 0 ? true : null));
  const [{ runId }] = JSON.parse((await run(place, ["--list", "--json"])).stdout);
  const resumed = await run(place, ["--resume", runId]);
  expect([resumed.exitCode, resumed.stdout]).toEqual([0, "Told.\n"]);
  expect(resumed.stderr).toContain("1 call taken up again, 1 call told as interrupted");
  // The write had not begun: it is done now.
  expect([
    readFileSync(join(place.directory, "ran"), "utf8"),
    readFileSync(join(place.directory, "later.txt"), "utf8"),
  ]).toEqual(["x\n", "later\n"]);
});

test("Ctrl-C twice ends it at once, cleanly: nothing is left, and it can be resumed", async ({ place }) => {
  const deaf = "trap '' TERM; touch started; sleep 300 & sleep 300";
  const rules = [turn(1, [bash(deaf)]), { last: "cancelled|aborted|interrupted", say: "on again" }];
  const running = startSkein(place.box, {
    args: ["run", "Wait", "--json", ...place.model(rules)],
    cwd: place.directory,
  });
  await eventually("the command runs", () => (existsSync(join(place.directory, "started")) ? true : null));
  running.kill("SIGINT");
  await eventually("it says so", () => (running.stderr().includes("stopping") ? true : null));
  running.kill("SIGINT");
  const ended = await running.ended;
  expect([ended.exitCode, lastJson(ended).outcome]).toEqual([130, "cancelled"]);
  await eventually("its commands end", () => (processesIn(place.box).length === 0 ? true : null));
  const resumed = await run(place, ["--resume", String(lastJson(ended).runId)]);
  expect([resumed.exitCode, resumed.stdout]).toEqual([0, "on again\n"]);
});

test("--max-minutes cuts what runs, starts nothing after it, and the run can go on", async ({ place }) => {
  const rules = [
    turn(1, [bash("touch started; sleep 300"), write("late", "")]),
    { last: "aborted|cancelled", say: "on" },
  ];
  const ended = await run(place, ["Wait", "--json", "--max-minutes", "0.1", ...place.model(rules)]);
  const json = lastJson(ended);
  expect([ended.exitCode, json.outcome, json.text]).toEqual([
    1,
    "budget",
    "stopped by its budget: the time limit of 0.1 min is reached",
  ]);
  expect([existsSync(join(place.directory, "late")), processesIn(place.box).length]).toEqual([false, 0]);
  const resumed = await run(place, ["--resume", String(json.runId), "--max-minutes", "5"]);
  expect([resumed.exitCode, resumed.stdout]).toEqual([0, "on\n"]);
  expect(resumed.stderr).toMatch(
    /\nso far: 1 request, tokens unavailable, cost unavailable; 1 request without figures\n/,
  );
});

test("a key that is set for a provider nobody asks reaches neither transcript nor output", async ({ place }) => {
  const KEY = "sk-nobody-asks-0123456789";
  const reading = "tr '\\0' '\\n' < /proc/$PPID/environ | grep OPENAI; echo; echo end";
  const rules = [turn(1, [bash(`echo ${KEY}; ${reading}`)]), { last: "end", say: "Seen." }];
  const ended = await skein(place.box, {
    args: ["run", "Look", "--output", "stream-json", ...place.model(rules)],
    cwd: place.directory,
    env: { OPENAI_API_KEY: KEY },
  });
  const events = linesOf(ended.stdout);
  const called = events.find(({ type }) => type === "call_ended");
  expect([ended.exitCode, called.text.includes("[key removed]"), called.text.includes(KEY)]).toEqual([0, true, false]);
  const results = linesOf(readFileSync(String(lastJson(ended).transcript), "utf8")).filter(
    ({ type }) => type === "result",
  );
  expect(results.map(({ text }) => text.includes(KEY))).toEqual([false]);
});

plainTest(
  "in a directory that was removed every command says so and ends with 2, help and version do not",
  async () => {
    using box = sandbox();
    const command = (args: string) =>
      `mkdir -p gone && cd gone && rmdir ../gone && exec ${process.execPath} ${join(import.meta.dirname, "../../dist/skein.cjs")} ${args}`;
    const ended = await Promise.all(
      ["run x --json", "runs", "doctor --json", "--version"].map(async (args, n) => {
        const cwd = join(box.root, `${n}`);
        mkdirSync(cwd);
        return outcomeOf("sh", ["-c", command(args)], { cwd, env: box.env });
      }),
    );
    const what = "the current directory is not there any more: it was removed or moved after you went into it";
    expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 0]);
    expect(JSON.parse(ended[0]?.stdout ?? "")).toMatchObject({ error: what, exitCode: 2 });
    expect([ended[1]?.stdout, ended[1]?.stderr.split("\n").at(-3)]).toEqual(["", `skein: ${what}`]);
  },
);

plainTest.skipIf(!hasTmux)(
  "on a terminal each running call has a line with its time, and what ended stays above",
  async () => {
    using box = sandbox();
    const until = (name: string) => bash(`until test -e ${name}; do sleep 0.05; done`);
    const rules = [turn(1, [call("glob", { pattern: "*.md" })]), turn(2, [until("go")]), turn(3, "Seen.")];
    const model = writeScript(join(box.root, "script.json"), rules);
    const command = `${process.execPath} ${join(import.meta.dirname, "../../dist/skein.cjs")} run Look --model ${model}; echo "[$?]"; sleep 60`;
    using screen = terminal(box, { columns: 100, rows: 24, command: `cd ${box.root} && ${command}` });
    const shown = await eventually("the call is shown", () => {
      const lines = screen.screen();
      return lines.some((line) => /●.*bash until test -e go/.test(line)) ? lines : null;
    });
    expect(shown.find((line) => line.includes("bash until"))).toMatch(
      /^ {2}● +\d.*m?s {2}bash until test -e go; do sleep 0.05; done$/,
    );
    expect(shown.some((line) => /^skein \d{8}-\S+ · scripted model · .* · 2 requests, /.test(line))).toBe(true);
    writeFileSync(join(box.root, "go"), "");
    await eventually("it ends", () => (screen.lines().some((line) => line === "[0]") ? true : null));
    const lines = screen.lines();
    expect(lines.filter((line) => line.includes("✓"))).toEqual([
      expect.stringMatching(/✓ glob \*\.md \d+ ms$/),
      expect.stringMatching(/✓ bash until test -e go.* \d.*s$/),
    ]);
    expect(lines).toContain("Seen.");
    expect(lines.filter((line) => line.includes("●"))).toEqual([]);
  },
);
