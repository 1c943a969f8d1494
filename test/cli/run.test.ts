// `skein run`: one agent with a script in a directory of its own.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processesIn, type Sandbox, sandbox } from "../support/sandbox.ts";
import { bash, type Call, call, type Rule, write, writeScript } from "../support/script.ts";
import { eventually, lastJson, skein, startSkein } from "../support/skein.ts";

let box: Sandbox;
let directory: string;

beforeEach(() => {
  box = sandbox();
  directory = join(box.root, "work");
  mkdirSync(directory);
  writeFileSync(join(directory, "sum.js"), "export const sum = (a, b) => a - b;\n");
});

afterEach(() => box[Symbol.dispose]());

/** The agent's answers in order. */
function answers(...turns: readonly (string | readonly Call[])[]): readonly Rule[] {
  return turns.map((turn, index) => ({
    role: "solo",
    turn: index + 1,
    ...(typeof turn === "string" ? { say: turn } : { calls: turn }),
  }));
}

function command(rules: readonly Rule[], ...flags: string[]) {
  const model = writeScript(join(box.root, "script.json"), rules);
  return { args: ["run", "Mend the sum", "--model", model, "--json", ...flags], cwd: directory };
}

const fix = call("edit_file", { path: "sum.js", edits: [{ old_string: "a - b", new_string: "a + b" }] });

test("it edits the files of its directory, keeps the transcript and ends with 0", async () => {
  const rules = answers(
    [fix, write("new/note.txt", "made\n")],
    [bash("cat sum.js > seen.txt")],
    "The sum is right now.",
  );
  const ended = await skein(box, command(rules));
  const json = lastJson(ended);
  expect(ended.exitCode).toBe(0);
  expect(json).toEqual({
    runId: expect.stringMatching(/^\d{8}-\d{6}-[a-z0-9]{4}$/),
    outcome: "stopped",
    text: "The sum is right now.",
    exitCode: 0,
    children: 0,
    requests: 3,
    requestsIncomplete: 3,
    inputTokens: "unavailable",
    cachedTokens: "unavailable",
    outputTokens: "unavailable",
    costUsd: "unavailable",
    wallMs: expect.any(Number),
    model: "script:script.json",
    scripted: true,
    label: "scripted model",
    transcript: expect.stringContaining(box.state),
    next: null,
    resume: null,
  });
  const sum = "export const sum = (a, b) => a + b;\n";
  expect(["sum.js", "seen.txt", "new/note.txt"].map((path) => readFileSync(join(directory, path), "utf8"))).toEqual([
    sum,
    sum,
    "made\n",
  ]);
  expect(ended.stderr).toContain("scripted model");
  const lines = readFileSync(String(json.transcript), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.flatMap(({ type, name }) => (type === "result" ? [name] : type === "call" ? [] : [type]))).toEqual([
    ...["start", "message", "request", "message", "edit_file", "write_file", "request", "message", "bash"],
    ...["request", "message", "end"],
  ]);
  expect(readdirSync(directory).sort()).toEqual(["new", "seen.txt", "sum.js"]);
});

test("at its limit of turns it ends with 1, and what was changed is kept", async () => {
  const rules = answers([fix], [bash("echo still here")], [bash("echo never")]);
  const ended = await skein(box, command(rules, "--max-turns", "2"));
  expect(ended.exitCode).toBe(1);
  expect(lastJson(ended)).toMatchObject({
    outcome: "turn-limit",
    requests: 2,
    text: expect.stringContaining("limit of 2 model requests"),
  });
  expect(readFileSync(join(directory, "sum.js"), "utf8")).toContain("a + b");
});

test("a request that no rule answers is told with role and turn, and ends with 1", async () => {
  const ended = await skein(box, command(answers([fix])));
  expect(ended.exitCode).toBe(1);
  expect(lastJson(ended)).toMatchObject({
    outcome: "model-error",
    text: expect.stringMatching(/no rule for role solo.*turn 2/),
  });
  expect(ended.stderr).toMatch(/no rule for role solo.*turn 2/);
});

test("a failing command is told to the agent and shown, and does not end the run", async () => {
  const ended = await skein(box, command(answers([bash("echo wrong >&2; exit 3")], "I saw it.")));
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toMatch(/> bash .*exit 3/);
  const lines = readFileSync(String(lastJson(ended).transcript), "utf8").split("\n");
  const result = JSON.parse(lines.find((line) => line.includes('"type":"result"')) ?? "{}");
  expect(result).toMatchObject({ is_error: true, text: expect.stringMatching(/wrong[\s\S]*3|3[\s\S]*wrong/) });
});

test("paths outside the directory are refused, whichever way they are written", async () => {
  const secret = join(box.root, "secret.txt");
  writeFileSync(secret, "secret\n");
  symlinkSync(secret, join(directory, "link"));
  symlinkSync(box.root, join(directory, "up"));
  const paths = ["../secret.txt", secret, "link", "up/secret.txt", "new/../../secret.txt"];
  const calls = paths.flatMap((path) => [
    call("read_file", { path }),
    write(path, "overwritten\n"),
    call("edit_file", { path, edits: [{ old_string: "secret", new_string: "edited" }] }),
  ]);
  const ended = await skein(box, command(answers(calls, "All refused.")));
  expect(ended.exitCode).toBe(0);
  const lines = readFileSync(String(lastJson(ended).transcript), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const results = lines.filter(({ type }) => type === "result");
  expect(results.map(({ is_error }) => is_error)).toEqual(calls.map(() => true));
  expect(results.filter(({ text }) => text.includes("secret\n"))).toEqual([]);
  expect(readFileSync(secret, "utf8")).toBe("secret\n");
  expect(readdirSync(box.root).filter((name) => name.startsWith("secret"))).toEqual(["secret.txt"]);
});

test("keys in the environment do not reach the agent's commands", async () => {
  const rules = answers([bash('env | cut -d= -f1 | sort | tr "\\n" " " > names.txt')], "Done.");
  await skein(box, { ...command(rules), env: { SOME_API_KEY: "sesame", AWS_SECRET_ACCESS_KEY: "sesame" } });
  expect(readFileSync(join(directory, "names.txt"), "utf8").split(" ")).not.toContain("SOME_API_KEY");
  expect(readFileSync(join(directory, "names.txt"), "utf8").split(" ")).not.toContain("AWS_SECRET_ACCESS_KEY");
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends it with 130, its commands with it, and keeps what was changed",
  async (signal) => {
    const rules = answers([fix], [bash("echo $$ > started; sleep 300 & sleep 300")], "never");
    const running = startSkein(box, command(rules));
    await eventually("the command starts", () => (existsSync(join(directory, "started")) ? true : null));
    running.kill(signal);
    const ended = await running.ended;
    expect(ended.exitCode).toBe(130);
    expect(lastJson(ended)).toMatchObject({ outcome: "cancelled", requests: 2 });
    await eventually("its commands end", () => (processesIn(box).length === 0 ? true : null));
    expect(readFileSync(join(directory, "sum.js"), "utf8")).toContain("a + b");
    const transcript = readFileSync(String(lastJson(ended).transcript), "utf8")
      .trimEnd()
      .split("\n");
    expect(JSON.parse(transcript.at(-1) ?? "")).toMatchObject({ type: "end", outcome: "cancelled" });
  },
);
