// Check 2: what rules say of command lines and files. Each verdict is what a careful person would say who sees only the line.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { type JudgedCall, type Judgement, judge, type Policy } from "./policy.ts";
import { parseRule, type Rule } from "./rule.ts";

const tools = ["read_file", "grep", "edit_file", "write_file", "bash", "delegate_task"];

const rules = (...texts: string[]): Rule[] => texts.map((text) => unwrap(parseRule(text, tools), text));

const policy: Policy = {
  mode: "ask",
  sandbox: "held",
  allow: rules(
    "bash(git status *)",
    "bash(git diff *)",
    "bash(npm test)",
    "bash(npm run lint:*)",
    "bash(CI=1 npm test)",
    "bash(node scripts/*.js *)",
    "bash(ls *)",
    "edit_file(src/**)",
    "write_file(docs/*.md)",
  ),
  deny: rules(
    "bash(git push *)",
    "bash(rm -rf *)",
    "bash(npm publish)",
    "bash(curl *)",
    "bash(git commit --no-verify *)",
    "read_file(**/.env)",
    "edit_file(src/secret/**)",
  ),
};

const command = (line: string): JudgedCall => ({
  tool: "bash",
  effect: "exclusive",
  command: line,
  names: [],
  real: null,
  hook: null,
});

const verdict = (judgement: Judgement) => judgement.kind;

describe("a line is allowed only where each of its commands is what a rule says", () => {
  test.each<[string, "go" | "ask" | "refuse"]>([
    // As the rules say.
    ["git status", "go"],
    ["git status --short", "go"],
    ["git diff HEAD~1 -- src", "go"],
    ["npm test", "go"],
    ["CI=1 npm test", "go"],
    ["npm run lint:fix", "go"],
    ["node scripts/build.js --all", "go"],
    ["ls", "go"],
    // Quotes and escapes are the shell's.
    ["'git' \"status\" -s", "go"],
    ["g\\it sta\\\ntus", "go"],
    ["git   status", "go"],
    ["git status # and nothing else", "go"],
    // Compound lines, each part by itself.
    ["git status && npm test", "go"],
    ["git status; git diff | ls", "go"],
    ["git status\nnpm test", "go"],
    ["if git status; then npm test; fi", "go"],
    ["(git status) 2>&1 >/dev/null", "go"],
    ['x=$(git status); ls "$x"', "go"],
    ["ls $(git diff --name-only)", "go"],
    ['for f in $(ls); do git diff "$f"; done', "go"],
    // One part that no rule speaks of.
    ["git status && make", "ask"],
    ["git status\nmake", "ask"],
    ["git status & make", "ask"],
    ["git status | sh -x script", "ask"],
    ["ls $(make)", "ask"],
    ['ls "`make`"', "ask"],
    ["ls <(make)", "ask"],
    ['git diff "${x:-$(make)}"', "ask"],
    ["git statusx", "ask"],
    ["git", "ask"],
    ["npm test -- --watch", "ask"],
    ["npm run lint", "ask"],
    // Options before the subcommand, another program of that name, variables in front.
    ["git -c core.fsmonitor=./x status", "ask"],
    ["git -C /tmp status", "ask"],
    ["./git status", "ask"],
    ["/usr/bin/git status", "ask"],
    ["PATH=. git status", "ask"],
    ["CI=2 npm test", "ask"],
    ["env git status", "ask"],
    ["PATH=.; git status", "ask"],
    ["for PATH in .; do git status; done", "ask"],
    ["git() { make; }; git status", "ask"],
    ["cd /tmp && npm test", "ask"],
    ["node scripts/../evil.js", "ask"],
    ["node -e 1 scripts/a.js", "ask"],
    // What is not in the words.
    ["git status > out", "ask"],
    ["git diff >> ~/.bashrc", "ask"],
    ["npm test < input", "ask"],
    ['ls <<< "$(git status)"', "ask"],
    ["$cmd status", "ask"],
    ["git $sub", "ask"],
    ["git {status,gc}", "ask"],
    ["npm t?st", "ask"],
    ["ls $((a[$(git status)]))", "ask"],
    ["if", "ask"],
    ["git status 'unfinished", "ask"],
    // Forbidden, however it is written.
    ["git push", "refuse"],
    ["git push origin main", "refuse"],
    ["git status && git push", "refuse"],
    ["ls $(git push)", "refuse"],
    ["git -C sub push", "refuse"],
    ["git -c a.b=c --no-pager push", "refuse"],
    ["GIT_DIR=x git push", "refuse"],
    ["/usr/bin/git push", "refuse"],
    ["g\"it\" 'push'", "refuse"],
    ["sudo -u bob git push", "refuse"],
    ["env -i A=1 git push", "refuse"],
    ["timeout -k 5 60 git push", "refuse"],
    ["echo main | xargs -n1 git push origin", "refuse"],
    ["bash -lc 'git push'", "refuse"],
    ['sh -c "cd x && git push"', "refuse"],
    ["eval git push", "refuse"],
    ["find . -name x -exec git push ';'", "refuse"],
    ["f() { git push; }; f", "refuse"],
    ["if true; then :; else git push; fi", "refuse"],
    ["cat <<E\n$(git push)\nE", "refuse"],
    ["trap 'git push' EXIT", "refuse"],
    ["rm -rf x", "refuse"],
    ["rm -fr x", "refuse"],
    ["rm -r -f x", "refuse"],
    ["rm x -rf", "refuse"],
    ["rm --recursive --force x", "refuse"],
    ["rm -Rf x", "refuse"],
    ["npm --silent publish", "refuse"],
    ["npm publish --tag next", "refuse"],
    ["curl", "refuse"],
    ["git commit -m x --no-verify", "refuse"],
    // Not forbidden.
    ["git log push", "ask"],
    ["echo git push", "ask"],
    ["git commit -m 'git push'", "ask"],
    ["rm -r x", "ask"],
    ["rm -f x", "ask"],
    ["rm x", "ask"],
    ["git --no-pager log push", "ask"],
    ["git status # git push", "go"],
  ])("%j: %s", (line, expected) => {
    expect(verdict(judge(policy, command(line)))).toBe(expected);
  });
});

describe("where a rule that forbids may hold, nothing goes unasked, whatever the mode", () => {
  const free: Policy = { ...policy, mode: "full-auto" };
  test.each<[string, "go" | "ask" | "refuse"]>([
    ["make", "go"],
    ['for f in *; do node --check "$f"; done', "go"],
    ['git log "$f"', "go"],
    ["git $sub", "ask"],
    ["$x push", "ask"],
    ['eval "$x"', "ask"],
    ['bash -c "$x"', "ask"],
    ["curl-config | bash", "ask"],
    ["bash < script", "ask"],
    ["rm $flags x", "ask"],
    ["if", "ask"],
    ["git push", "refuse"],
  ])("%j: %s", (line, expected) => {
    expect(verdict(judge(free, command(line)))).toBe(expected);
  });

  test("without such rules it goes", () => {
    const lines = ["git $sub", 'eval "$x"', "if"];
    expect(lines.map((line) => verdict(judge({ ...free, deny: [] }, command(line))))).toEqual(["go", "go", "go"]);
  });
});

test("what each mode does with a read, an edit, a command and a delegation, with and without a sandbox", () => {
  const calls: JudgedCall[] = (["read", "write", "exclusive", "delegate"] as const).map((effect) => ({
    tool: { read: "grep", write: "write_file", exclusive: "bash", delegate: "delegate_task" }[effect],
    effect,
    command: effect === "exclusive" ? "make" : null,
    names: [],
    real: null,
    hook: null,
  }));
  const table = (["read-only", "ask", "auto-edit", "full-auto"] as const).flatMap((mode) =>
    (["held", "free", "none"] as const).map((sandbox) => [
      mode,
      sandbox,
      ...calls.map((call) => verdict(judge({ mode, sandbox, allow: [], deny: [] }, call))),
    ]),
  );
  expect(table).toEqual([
    ["read-only", "held", "go", "refuse", "go", "go"],
    ["read-only", "free", "go", "refuse", "refuse", "go"],
    ["read-only", "none", "go", "refuse", "refuse", "go"],
    ["ask", "held", "go", "ask", "ask", "go"],
    ["ask", "free", "go", "ask", "ask", "go"],
    ["ask", "none", "go", "ask", "ask", "go"],
    ["auto-edit", "held", "go", "go", "ask", "go"],
    ["auto-edit", "free", "go", "go", "ask", "go"],
    ["auto-edit", "none", "go", "go", "ask", "go"],
    ["full-auto", "held", "go", "go", "go", "go"],
    ["full-auto", "free", "go", "go", "go", "go"],
    ["full-auto", "none", "go", "go", "ask", "go"],
  ]);
});

test("rules of files speak of the real file; one that forbids also of the name that was given", () => {
  const file = (tool: string, names: readonly string[], real: string | null): JudgedCall => ({
    tool,
    effect: tool === "read_file" ? "read" : "write",
    command: null,
    names,
    real,
    hook: null,
  });
  const calls = [
    file("edit_file", ["src/a.ts"], "src/a.ts"),
    file("edit_file", ["src/link.ts", "other/a.ts"], "other/a.ts"),
    file("edit_file", ["src/secret/key.ts"], "src/secret/key.ts"),
    file("edit_file", ["src/SECRET/key.ts"], "src/SECRET/key.ts"),
    file("edit_file", ["harmless", "src/secret/key.ts"], "src/secret/key.ts"),
    file("edit_file", ["src/a.ts"], null),
    file("write_file", ["docs/a.md"], "docs/a.md"),
    file("write_file", ["docs/sub/a.md"], "docs/sub/a.md"),
    file("read_file", [".env"], null),
    file("read_file", ["readme", "deep/.env"], null),
    file("read_file", [".env.example"], null),
  ];
  expect(calls.map((call) => verdict(judge(policy, call)))).toEqual([
    "go",
    "ask",
    "refuse",
    "refuse",
    "refuse",
    "ask",
    "go",
    "ask",
    "refuse",
    "refuse",
    "go",
  ]);
});

test("a hook's word stands below the person's rules and the read-only mode", () => {
  const hooked = (line: string, hook: "allow" | "ask", mode: Policy["mode"] = "ask") =>
    verdict(judge({ ...policy, mode, sandbox: "none" }, { ...command(line), hook }));
  expect([
    hooked("make", "allow"),
    hooked("git push", "allow"),
    hooked("git $sub", "allow"),
    hooked("npm test", "ask", "full-auto"),
    hooked("make", "allow", "read-only"),
  ]).toEqual(["go", "refuse", "ask", "ask", "refuse"]);
});

test("a rule that is none is refused in words", () => {
  const texts = [
    "bash(",
    "Bash(ls)",
    "bash()",
    "bash(a | b)",
    "bash(a $X)",
    "bash(a > b)",
    "grep(x)",
    "edit_file(/etc/*)",
    "edit_file(../x)",
  ];
  expect(texts.map((text) => parseRule(text, tools).ok)).toEqual(texts.map(() => false));
  expect(parseRule("rm(x)", tools)).toEqual({
    ok: false,
    error: '"rm(x)": there is no tool rm; the tools are read_file, grep, edit_file, write_file, bash, delegate_task',
  });
});
