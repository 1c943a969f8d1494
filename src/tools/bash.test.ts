// bash with real processes: exit codes, order of output, caps, time limits, and that nothing outlives its call.

import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAgent } from "../agent/loop.ts";
import { call, calling, rig, saying } from "../testing/agent/rig.ts";
import { freshTree } from "../testing/tools/tree.ts";
import { bashTool } from "./bash.ts";
import { readFileTool } from "./read-file.ts";

const tree = freshTree();

const bash = (command: string, timeout_ms?: number) => tree().use(bashTool(tree().env), { command, timeout_ms });

/** Whether the process that wrote its id into `pid` is gone; one that waits to be reaped counts as gone. */
async function gone(): Promise<boolean> {
  const pid = (await readFile(join(tree().root, "pid"), "utf8")).trim();
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return stat === null || / Z /.test(stat);
}

test("the exit code stands in the result; another than 0 is an error", async () => {
  const answers = [await bash("echo hi"), await bash("true"), await bash("echo no; exit 3"), await bash("kill -9 $$")];
  expect(answers).toEqual([
    { kind: "text", text: "hi\n[exit code 0]" },
    { kind: "text", text: "(no output)\n[exit code 0]" },
    { kind: "error", text: "no\n[exit code 3]" },
    { kind: "error", text: "(no output)\n[ended by SIGKILL]" },
  ]);
});

test("a syntax error is the command's", async () => {
  const answer = await bash("if");
  expect({ kind: answer.kind, code: "text" in answer && answer.text.endsWith("[exit code 2]") }).toEqual({
    kind: "error",
    code: true,
  });
});

test("stdout and stderr stand in the order in which they were written", async () => {
  const command = "for n in 1 2 3 4 5; do echo out $n; echo err $n >&2; done";
  const lines = [1, 2, 3, 4, 5].map((n) => `out ${n}\nerr ${n}\n`).join("");
  expect(await bash(command)).toEqual({ kind: "text", text: `${lines}[exit code 0]` });
});

test("a command runs in the tree, without input and with the given environment only", async () => {
  const answer = await bash("pwd; cat; env | cut -d= -f1 | grep -v _ | sort");
  expect(answer).toEqual({ kind: "text", text: `${tree().root}\nHOME\nPATH\nPWD\nSHLVL\n[exit code 0]` });
});

test("control sequences do not reach the model", async () => {
  expect(await bash("printf '\\e[31mred\\e[0m\\r\\nbell\\a\\n'")).toEqual({
    kind: "text",
    text: "red\nbell\ufffd\n[exit code 0]",
  });
});

test("H2 a sleeper beside an unknown command keeps its output", async () => {
  const calls = [
    call("c1", "bash", { command: "sleep 0.2; echo done" }),
    call("c2", "bash", { command: "no-such-command-here" }),
  ];
  const one = rig({ answers: [calling(...calls), saying("done")], tools: [bashTool(tree().env)] });
  const { messages } = await runAgent(one.spec, one.ports);
  expect(messages.flatMap((message) => (message.role === "tool" ? message.results : []))).toEqual([
    { callId: "c1", name: "bash", text: "done\n[exit code 0]", isError: false },
    {
      callId: "c2",
      name: "bash",
      text: "bash: line 1: no-such-command-here: command not found\n[exit code 127]",
      isError: true,
    },
  ]);
});

test("H9 900 KB of output are capped, and the full output is where the note says, for read_file too", async () => {
  const answer = await bash("seq 1 150000");
  const text = answer.kind === "text" ? answer.text : "";
  const path = /the full output is in (\S+\.txt):/.exec(text)?.[1] ?? "";
  const page = await tree().use(readFileTool(tree().env), { path, offset: 149_999 });
  const full = Array.from({ length: 150_000 }, (_, n) => `${n + 1}\n`).join("");
  expect({
    kind: answer.kind,
    capped: text.length <= 28_000,
    ends: [text.startsWith("1\n2\n3\n"), text.endsWith("149999\n150000\n[exit code 0]")],
    full: (await readFile(path, "utf8")) === full,
    files: (await readdir(tree().env.spillDirectory)).length,
    page,
  }).toEqual({
    kind: "text",
    capped: true,
    ends: [true, true],
    full: true,
    files: 1,
    page: { kind: "text", text: "149999\t149999\n150000\t150000\n[lines 149999-150000 of 150000]" },
  });
});

test("the same long output has the same file, so that a repeated call is seen as one", async () => {
  const [first, second] = [await bash("seq 1 9000"), await bash("seq 1 9000")];
  expect({ same: first, files: (await readdir(tree().env.spillDirectory)).length }).toEqual({ same: second, files: 1 });
});

test("at the time limit the command and its children are gone, and what it wrote is kept", async () => {
  const answer = await bash("sleep 75 & echo $! > pid; echo started; wait", 300);
  expect({ answer, gone: await gone() }).toEqual({
    answer: {
      kind: "error",
      text: "started\n[stopped: the time limit of 300 ms was reached before the command ended]",
    },
    gone: true,
  });
});

test("H12 a cancelled command's process tree is gone, and its result says aborted", async () => {
  const abort = new AbortController();
  const command = "trap '' TERM; (trap '' TERM; sh -c 'echo $$ > pid; sleep 75; sleep 75'); sleep 75";
  const running = tree().use(bashTool(tree().env), { command }, abort.signal);
  while (
    !(await access(join(tree().root, "pid")).then(
      () => true,
      () => false,
    ))
  )
    await tree().env.clock.sleep(10);
  abort.abort();
  const answer = await running;
  expect({ answer, gone: await gone() }).toEqual({
    answer: { kind: "cancelled", text: "(no output)\n[aborted: the agent was cancelled before the command ended]" },
    gone: true,
  });
});

test("a cancelled agent starts no command", async () => {
  const abort = new AbortController();
  abort.abort();
  const answer = await tree().use(bashTool(tree().env), { command: "touch started" }, abort.signal);
  expect({ kind: answer.kind, names: await readdir(tree().root) }).toEqual({ kind: "cancelled", names: [] });
});

test("a background process that holds the output open does not hold the call", async () => {
  const answer = await bash("sleep 75 & echo $! > pid; echo shell is done");
  expect({ answer, gone: await gone() }).toEqual({
    answer: { kind: "text", text: "shell is done\n[exit code 0; processes left in the background were stopped]" },
    gone: true,
  });
});

test("nor does one that left the process group, whose output is then not ours", async () => {
  const answer = await bash(
    "setsid sh -c 'echo $$ > pid; exec sleep 3' & while [ ! -s pid ]; do sleep 0.01; done; echo shell is done",
  );
  expect(answer.kind === "text" && answer.text.split("\n")[0]).toBe("shell is done");
});

test("H15 a background process with its output redirected is gone after the call", async () => {
  const answer = await bash("sleep 75 >/dev/null 2>&1 & echo $! > pid");
  // The kill is sent before the answer; the process needs a moment to be gone.
  for (let tries = 0; tries < 100 && !(await gone()); tries++) await tree().env.clock.sleep(10);
  expect({ answer, gone: await gone() }).toEqual({
    answer: { kind: "text", text: "(no output)\n[exit code 0]" },
    gone: true,
  });
});

test("H21 a missing shell is a fault of the environment, not of the call", async () => {
  const env = { ...tree().env, environment: { PATH: join(tree().root, "nowhere") } };
  expect(await tree().use(bashTool(env), { command: "echo hi" })).toEqual({
    kind: "fault",
    text: "environment fault: bash could not be started (the program bash was not found). This is not a fault of your call; trying again will not help.",
  });
});

test("no key of ours is in the file that keeps a long output, also where it comes in two writes", async () => {
  const key = "sk-secret-0123456789";
  const env = { ...tree().env, secrets: [key] };
  const long = `i=0; while [ $i -lt 600 ]; do printf '%0100d' $i; i=$((i+1)); done`;
  const command = `${long}; printf 'KEY=sk-secret'; sleep 0.05; printf -- '-0123456789;'; ${long}`;
  const answer = await tree().use(bashTool(env), { command });
  const path = /the full output is in (\S+):/.exec("text" in answer ? answer.text : "")?.[1] ?? "";
  const numbers = Array.from({ length: 600 }, (_, n) => String(n).padStart(100, "0")).join("");
  expect(await readFile(path, "utf8")).toBe(`${numbers}KEY=[key removed];${numbers}`);
});
