// Approvals and the sandbox of `skein run` as a person meets them: questions in a real terminal, refusals without one, and what an agent
// leaves in its workspace.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasSandbox, type Sandbox, sandbox } from "../support/sandbox.ts";
import { bash, type Call, call, type Rule, write, writeScript } from "../support/script.ts";
import { bundle, eventually, lastJson, skein } from "../support/skein.ts";
import { hasTmux, terminal } from "../support/tmux.ts";

let box: Sandbox;
let directory: string;

beforeEach(() => {
  box = sandbox();
  directory = join(box.root, "work");
  mkdirSync(directory);
});

afterEach(() => box[Symbol.dispose]());

function answers(...turns: readonly (string | readonly Call[])[]): readonly Rule[] {
  return turns.map((turn, index) => ({
    role: "solo",
    turn: index + 1,
    ...(typeof turn === "string" ? { say: turn } : { calls: turn }),
  }));
}

const run = (rules: readonly Rule[], ...flags: string[]) => {
  const model = writeScript(join(box.root, "script.json"), rules);
  return { args: ["run", "Do it", "--model", model, "--output", "stream-json", ...flags], cwd: directory };
};

/** Outcome and text of each call, by the name of its tool. */
function results(stdout: string) {
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return events.filter(({ type }) => type === "call_ended").map(({ name, outcome, text }) => ({ name, outcome, text }));
}

test("check 2: without a terminal what needs a question is refused with the reason, and what a rule allows runs", async () => {
  const rules = answers(
    [write("a.txt", "a\n")],
    [bash("echo one > one.txt")],
    [bash("echo two > two.txt; id")],
    "done",
  );
  const ended = await skein(
    box,
    run(rules, "--approval", "ask", "--allow", "write_file(*.txt)", "--allow", "bash(id)"),
  );
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [edit, first, second] = results(ended.stdout);
  expect([edit?.outcome, first?.outcome, second?.outcome]).toEqual(["ok", "refused", "refused"]);
  expect(first?.text).toMatch(/^not run: it needs the person's approval .* there is no terminal to ask on\./);
  expect([
    existsSync(join(directory, "a.txt")),
    existsSync(join(directory, "one.txt")),
    existsSync(join(directory, "two.txt")),
  ]).toEqual([true, false, false]);
  expect(ended.stderr).toMatch(
    /^approval: ask \(--approval\); 2 rules to allow; nobody can be asked here: what no rule allows is refused$/m,
  );
});

test("a rule that forbids holds in every mode, and read-only changes nothing, also when the run is resumed", async () => {
  const rules = answers([bash("git push origin main")], [write("a.txt", "a\n")], "done");
  const denied = await skein(box, run(rules, "--deny", "bash(git push *)"));
  expect(results(denied.stdout).map(({ outcome }) => outcome)).toEqual(["refused", "ok"]);
  const reading = await skein(box, run(rules, "--approval", "read-only", "--deny", "bash(git push *)"));
  expect(results(reading.stdout).map(({ outcome }) => outcome)).toEqual(["refused", "refused"]);
  const again = [
    ...rules,
    { role: "solo", turn: 4, calls: [write("b.txt", "b\n")] },
    { role: "solo", turn: 5, say: "done" },
  ];
  writeScript(join(box.root, "script.json"), again);
  const { runId } = lastJson(reading);
  const resumed = await skein(box, {
    args: ["run", "--resume", String(runId), "More", "--output", "stream-json"],
    cwd: directory,
  });
  expect(results(resumed.stdout).map(({ name, outcome }) => [name, outcome])).toEqual([["write_file", "refused"]]);
  expect(existsSync(join(directory, "b.txt"))).toBe(false);
});

test("without a sandbox commands are asked for and the start says why; --sandbox off wants none", async () => {
  const rules = answers([bash("echo x > made")], "done");
  const bin = join(box.root, "bin");
  mkdirSync(bin);
  for (const program of ["bash", "sh", "git", "grep"])
    symlinkSync(execFileSync("which", [program], { encoding: "utf8" }).trim(), join(bin, program));
  const none = await skein(box, { ...run(rules), env: { PATH: bin } });
  expect(
    results(none.stdout).map(({ outcome }) => outcome),
    none.stderr,
  ).toEqual(["refused"]);
  expect(none.stderr).toMatch(
    /^shell commands are not sandboxed: bubblewrap \(bwrap\) is not installed \(install bubblewrap\); each command is asked for$/m,
  );
  const off = await skein(box, { ...run(rules, "--sandbox", "off"), env: { PATH: bin } });
  expect(results(off.stdout).map(({ outcome }) => outcome)).toEqual(["ok"]);
  expect(readFileSync(join(directory, "made"), "utf8")).toBe("x\n");
});

describe.runIf(hasSandbox)("in the sandbox", () => {
  test("check 1: a child that writes outside, reads keys or connects fails; the person's .git is guarded", async () => {
    spawnSync("git", ["init", "-q"], { cwd: directory, env: box.env });
    const outside = join(box.home, "outside");
    const attack = [
      `echo x > ${outside} || echo no-write`,
      "cat /proc/*/environ | tr '\\0' '\\n' | grep -c ANTHROPIC || echo no-keys",
      "(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null || echo no-net",
      "git config core.fsmonitor evil 2>/dev/null || echo no-config",
    ].join("; ");
    const rules: readonly Rule[] = [
      { role: "solo", turn: 1, calls: [bash(attack), call("delegate_task", { task: "Try", isolation: "workspace" })] },
      {
        role: "child",
        turn: 1,
        calls: [bash(`echo x > ${outside} || echo no-write; git config core.fsmonitor ./evil && echo own-git`)],
      },
      { role: "child", turn: 2, say: "tried" },
      { role: "solo", turn: 2, say: "done" },
    ];
    const ended = await skein(box, { ...run(rules), env: { ANTHROPIC_API_KEY: "sk-ant-a-key-of-the-person" } });
    const texts = results(ended.stdout).flatMap(({ name, text }) => (name === "bash" ? [text] : []));
    expect(texts[0], ended.stderr).toMatch(/no-write\n0\nno-keys\nno-net\nno-config\n/);
    expect(texts[1]).toMatch(/no-write\nown-git\n/);
    expect(existsSync(outside)).toBe(false);
    expect(readFileSync(join(directory, ".git", "config"), "utf8")).not.toContain("evil");
  });

  test("check 1: filters, hooks and a monitor that an agent writes into its workspace are not run by our own git calls", async () => {
    spawnSync("git", ["init", "-q"], { cwd: directory, env: box.env });
    writeFileSync(join(directory, "file.txt"), "one\n");
    const marker = join(box.root, "ran-outside");
    // Only what runs outside the sandbox can write there.
    const evil = `printf '#!/bin/sh\\ntouch ${marker}\\ncat\\n' > evil.sh; chmod +x evil.sh`;
    const plant = [
      evil,
      "git config core.fsmonitor $PWD/evil.sh",
      "git config filter.x.clean $PWD/evil.sh; git config filter.x.smudge $PWD/evil.sh; git config filter.x.process $PWD/evil.sh",
      "git config core.hooksPath $PWD/hooks; git config core.pager $PWD/evil.sh; git config diff.external $PWD/evil.sh",
      "mkdir -p hooks .git/hooks; for h in post-index-change reference-transaction post-checkout pre-commit post-commit; do cp evil.sh hooks/$h; cp evil.sh .git/hooks/$h; done",
      "echo '* filter=x' > .gitattributes; echo two > file.txt",
    ].join("; ");
    const rules: readonly Rule[] = [
      { role: "solo", turn: 1, calls: [call("delegate_task", { task: "Plant", isolation: "workspace" })] },
      { role: "child", turn: 1, task: "a1", calls: [bash(plant)] },
      { role: "child", turn: 2, task: "a1", say: "planted" },
      { role: "solo", turn: 2, calls: [call("delegate_task", { task: "Look", isolation: "workspace" })] },
      { role: "child", turn: 1, task: "a2", calls: [bash("git status --short; cat file.txt")] },
      { role: "child", turn: 2, task: "a2", say: "looked" },
      { role: "solo", turn: 3, say: "done" },
    ];
    const ended = await skein(box, run(rules));
    expect([ended.exitCode, readFileSync(join(directory, "file.txt"), "utf8")], ended.stderr).toEqual([0, "two\n"]);
    expect(existsSync(join(directory, "evil.sh"))).toBe(true);
    expect(existsSync(marker)).toBe(false);
  });
});

describe.skipIf(!hasTmux)("in a terminal (skipped where tmux is absent)", () => {
  test("H13 H14 three children ask at the same moment: each question names its child and shows its command; one no refuses that call alone", async () => {
    const ask = (task: string): Call => call("delegate_task", { task, isolation: "workspace" });
    const rules: readonly Rule[] = [
      { role: "solo", turn: 1, calls: [ask("One"), ask("Two"), ask("Three")] },
      ...["a1", "a2", "a3"].flatMap((child): Rule[] => [
        { role: "child", task: child, turn: 1, calls: [bash(`echo made > ${child}.txt`)] },
        { role: "child", task: child, turn: 2, say: `${child} is done` },
      ]),
      { role: "solo", turn: 2, calls: [write("sum.txt", "1 + 1\n= 2\n")] },
      { role: "solo", turn: 3, say: "All asked." },
    ];
    const { args } = run(rules, "--approval", "ask");
    const plain = args.filter((arg) => arg !== "--output" && arg !== "stream-json").map((arg) => `'${arg}'`);
    const program = `cd ${directory}; ${process.execPath} ${bundle} ${plain.join(" ")}; echo "ended with $?"; exec sleep 600`;
    using tty = terminal(box, { columns: 100, rows: 30, command: program });
    const seen: string[] = [];
    const answer = async (key: string): Promise<void> => {
      const question = await eventually("a question", () => {
        const line = tty
          .screen()
          .find((one) => /^\? a\d: .*\[y\] yes/.test(one) && !seen.includes(one.split(":")[0] ?? ""));
        return line ?? null;
      });
      seen.push(question.split(":")[0] ?? "");
      expect(question).toMatch(/^\? a\d: (run it|make this change)\? {2}\[y\] yes/);
      // It is heard a moment after the question has come; what is typed before answers nothing.
      await eventually("its answer", () => {
        if (tty.screen().some((one) => one.startsWith(seen.at(-1) ?? "?") && one.includes("[y] yes"))) tty.type(key);
        else return true;
        return null;
      });
    };
    // Keys that come before any question are dropped.
    tty.type("y");
    for (const key of ["y", "n", "y", "y"]) await answer(key);
    const end = await eventually("the end", () => {
      const lines = tty.lines();
      return lines.some((line) => line.startsWith("ended with")) ? lines : null;
    });
    const text = end.join("\n");
    for (const child of ["a1", "a2", "a3"]) {
      expect(text).toMatch(new RegExp(`^\\? ${child} \\(child of a0\\) wants to run a command`, "m"));
      expect(text).toContain(`$ echo made > ${child}.txt`);
    }
    expect(text).toMatch(/\(2 more wait\)|allowed a\d bash/);
    expect(text).toMatch(/\? a0 wants to create sum\.txt[\s\S]*\+1 \+ 1\n\s+\+= 2/);
    expect(end.at(-1)).toBe("ended with 0");
    const [, refused = ""] = seen.map((line) => line.replace("? ", ""));
    const made = ["a1", "a2", "a3"].filter((child) => existsSync(join(directory, `${child}.txt`)));
    expect(made).toEqual(["a1", "a2", "a3"].filter((child) => child !== refused));
    expect(readFileSync(join(directory, "sum.txt"), "utf8")).toBe("1 + 1\n= 2\n");
  });
});
