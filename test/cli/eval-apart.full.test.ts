// Suites whose runs try what a run must not: hand on keys, change the results, do without tools that are missing. The real program on a
// scripted model, in its sandbox and with the person's rights.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { unwrap } from "../../src/base/result.ts";
import { parseVerdict, type Verdict } from "../../src/evals/verdict.ts";
import { hasSandbox, type Sandbox, sandbox } from "../support/sandbox.ts";
import { bundle, packageRoot, skein } from "../support/skein.ts";

const key = "sk-ant-api03-test-0123456789";
const off = { SKEIN_SANDBOX: "off" };

interface Tried {
  readonly name: string;
  /** What the model does in each way, in turn: a shell command or a search, and its last words. */
  readonly ways: readonly { readonly command?: string; readonly grep?: string; readonly say: string }[];
  readonly checks: readonly object[];
}

/** One task, one condition; the right solution leaves `done`, the wrong one nothing. */
function writeSuite(root: string, { name, ways, checks }: Tried): string {
  const suite = join(root, "evals", name);
  const task = join(suite, "tasks", "try");
  mkdirSync(join(task, "workspace"), { recursive: true });
  writeFileSync(join(task, "workspace", "read.me"), "nothing\n");
  writeFileSync(join(task, "instruction.md"), "Try.\n");
  const write = (path: string, value: object) => writeFileSync(path, stringify(value));
  const spec = { name: "try", about: "What it tries", tools: ["bash", "grep"], checks };
  const conditions = [{ name: "only", changes: "nothing" }];
  write(join(suite, "suite.yaml"), {
    name,
    about: "What runs must not do",
    seed: 1,
    runs: ways.length,
    model: "script:model.yaml",
    conditions,
    tasks: [spec],
  });
  const bash = (command: string) => [{ tool: "bash", input: { command } }];
  const names = ways.map((_, index) => `way-${index}`);
  const rules = ways.flatMap(({ command, grep, say }, index): readonly object[] => {
    const calls =
      command === undefined
        ? grep === undefined
          ? null
          : [{ tool: "grep", input: { pattern: grep } }]
        : bash(command);
    const variant = names[index];
    return calls === null
      ? [{ variant, say }]
      : [
          { variant, turn: 1, calls },
          { variant, turn: 2, say },
        ];
  });
  write(join(suite, "model.yaml"), { variants: names, rules });
  const done = {
    rules: [
      { turn: 1, calls: bash("touch done") },
      { turn: 2, say: "done" },
    ],
  };
  write(join(task, "oracle.yaml"), done);
  write(join(task, "wrong.yaml"), { rules: [{ say: "not done" }] });
  return suite;
}

const isDone = { name: "done", aspect: "value", kind: "command", run: "test -f done" };

function verdictOf(results: string, task: string, repetition: number): Verdict {
  const path = join(results, "runs", task, "only", String(repetition).padStart(3, "0"), "verdict.json");
  return unwrap(parseVerdict(JSON.parse(readFileSync(path, "utf8"))), "verdict");
}

/** Files below whose name or content holds the text. */
function holding(directory: string, text: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(directory, name);
    return name.includes(text) || (statSync(path).isFile() && readFileSync(path).includes(text));
  });
}

test.each([
  ["with the person's rights", off],
  ["in the sandbox", {}],
])("%s no key reaches the results, the progress or the report, however a run comes by it", async (_, env) => {
  using box = sandbox();
  // The environment of the program that it was started by holds the key, whoever is asked.
  const take = `tr '\\0' '\\n' < /proc/$PPID/environ | grep sk-ant > taken; cat taken; echo ${key} > written; mkdir ${key}; touch done`;
  writeSuite(box.root, {
    name: "keys",
    ways: [
      { command: take, say: `The key is ${key}.` },
      { command: `echo "${key}"; exit 1`, say: JSON.stringify({ key }) },
    ],
    checks: [
      { ...isDone, run: "cat written; test -f done" },
      { name: "said", aspect: "format", kind: "output", equals: "done" },
    ],
  });
  const ended = await skein(box, { args: ["eval", "run", "keys"], env: { ...env, ANTHROPIC_API_KEY: key } });
  const results = join(box.root, "eval-results", "keys");
  const judged = await skein(box, { args: ["eval", "judge", results], env: { ...env, ANTHROPIC_API_KEY: key } });
  // The suite's own copy holds it, since the suite does.
  const kept = holding(results, key).filter((name) => !name.startsWith("suite/"));
  expect(
    {
      exitCode: ended.exitCode,
      kept,
      said: [ended.stdout, ended.stderr, judged.stdout, judged.stderr].filter((text) => text.includes(key)),
      removed: holding(join(results, "runs", "try", "only", "001"), "[key removed]").length > 3,
      details: verdictOf(results, "try", 2).checks.map(({ detail }) => detail),
    },
    ended.stderr,
  ).toEqual({
    exitCode: 0,
    kept: [],
    said: [],
    removed: true,
    details: [
      expect.stringMatching(/^`cat written; test -f done` ended with 1, not 0/),
      'it is "{\\"key\\":\\"[key removed]\\"}", not "done"',
    ],
  });
});

/** What a run does to the results, to another run, to the suite and to the proof of it. */
const changes = (results: string): Readonly<Record<string, string>> => ({
  verdict: `sed -i s/false/true/ ${results}/runs/try/only/*/verdict.json`,
  suite: `echo "# changed" >> ${results}/suite/suite.yaml`,
  proof: `rm -r ${results}/proof/oracle`,
  plan: `echo >> ${results}/plan.json`,
});

test.each(["verdict", "suite", "proof", "plan"])(
  "with the person's rights a run that changes the %s is excluded, and the next start makes right what it changed",
  async (what) => {
    using box = sandbox();
    const results = join(box.root, "eval-results", "changes");
    writeSuite(box.root, {
      name: "changes",
      ways: [{ say: "not done" }, { command: `${changes(results)[what]}; touch done`, say: "done" }],
      checks: [isDone],
    });
    const args = ["eval", "run", "changes"];
    const first = await skein(box, { args, env: off });
    const excluded = verdictOf(results, "try", 2).excluded;
    const second = await skein(box, { args, env: off });
    expect(
      {
        first: first.exitCode === 0,
        excluded,
        second: [second.exitCode, second.stdout.includes("1 run counted, 1 excluded")],
        aside: existsSync(join(results, "changed")),
        untouched: verdictOf(results, "try", 1).passed,
        suite: readFileSync(join(results, "suite", "suite.yaml"), "utf8").includes("# changed"),
        proof: existsSync(join(results, "proof", "oracle")),
      },
      `${first.stderr}\n${second.stderr}\n${second.stdout.slice(0, 500)}`,
    ).toEqual({
      first: false,
      excluded: {
        reason: "environment",
        detail: expect.stringMatching(/^while it ran, files of the results were changed: /),
      },
      second: [0, true],
      aside: what === "verdict",
      untouched: false,
      suite: false,
      proof: true,
    });
  },
);

test.runIf(hasSandbox)(
  "in the sandbox a run neither sees nor changes the results, the suite and its solutions",
  async () => {
    using box = sandbox();
    const results = join(box.root, "eval-results", "held");
    const suite = join(box.root, "evals", "held");
    const all = Object.values(changes(results)).join("; ");
    const look = `cat ${results}/plan.json ${suite}/tasks/try/oracle.yaml ${results}/suite/suite.yaml && echo SEEN`;
    writeSuite(box.root, {
      name: "held",
      ways: [{ say: "not done" }, { command: `${look}; ${all}; touch done`, say: "done" }],
      // The check's command is held as well, where it runs what a model wrote.
      checks: [
        isDone,
        { ...isDone, name: "held", run: `test -f done && ! test -f ${results}/plan.json && ! touch ${results}/x` },
      ],
    });
    const ended = await skein(box, { args: ["eval", "run", "held"] });
    const seen = holding(join(results, "runs"), "SEEN\\n");
    expect(
      [ended.exitCode, seen, verdictOf(results, "try", 2).passed, existsSync(join(results, "x"))],
      ended.stderr,
    ).toEqual([0, [], true, false]);
  },
);

/** The program as it is installed, without ripgrep anywhere. */
function withoutRipgrep({ root, temporary }: Sandbox): { readonly program: string; readonly path: string } {
  const own = join(root, "package");
  cpSync(dirname(bundle), join(own, "dist"), { recursive: true });
  cpSync(join(packageRoot, "package.json"), join(own, "package.json"));
  const bin = join(temporary, "bin");
  mkdirSync(bin);
  const path = (process.env.PATH ?? "/usr/bin:/bin").split(delimiter).filter((part) => !existsSync(join(part, "rg")));
  for (const name of ["sh", "bash", "touch", "test", "git", "bwrap", "env", "true"]) {
    const found = ["/usr/bin", "/bin"].map((place) => join(place, name)).find(existsSync);
    if (found !== undefined && !path.some((part) => existsSync(join(part, name)))) symlinkSync(found, join(bin, name));
  }
  return { program: join(own, "dist", basename(bundle)), path: [...path, bin].join(delimiter) };
}

test("where ripgrep is missing, a run that searched is excluded, whatever it answered, and one that did not is judged", async () => {
  using box = sandbox();
  const { program, path } = withoutRipgrep(box);
  writeSuite(box.root, {
    name: "no-search",
    ways: [
      { grep: "nothing", say: "done" },
      { command: "touch done", say: "done" },
    ],
    checks: [{ name: "said", aspect: "format", kind: "output", equals: "done" }],
  });
  const ended = await skein(box, { args: ["eval", "run", "no-search"], program, env: { PATH: path } });
  const results = join(box.root, "eval-results", "no-search");
  const [first, second] = [verdictOf(results, "try", 1), verdictOf(results, "try", 2)];
  expect([first.excluded, first.failure?.kind, first.passed, second.excluded, second.passed], ended.stderr).toEqual([
    { reason: "environment", detail: expect.stringMatching(/^a0 grep: .*ripgrep/) },
    "environment",
    false,
    null,
    true,
  ]);
  expect(ended.stdout).toContain("try, only, run 1: environment: a0 grep");
});

test("a second start measures with the suite and the script that were kept, and says so where they are others by now", async () => {
  using box = sandbox();
  const suite = writeSuite(box.root, {
    name: "kept",
    ways: [{ command: "touch done", say: "done" }],
    checks: [isDone],
  });
  const script = join(box.root, "own.yaml");
  cpSync(join(suite, "model.yaml"), script);
  const args = ["eval", "run", "kept", "--model", `script:${script}`];
  const first = await skein(box, { args });
  writeFileSync(script, stringify({ rules: [{ say: "not done" }] }));
  const spec = readFileSync(join(suite, "suite.yaml"), "utf8");
  writeFileSync(join(suite, "suite.yaml"), spec.replace("test -f done", "test -f elsewhere"));
  const second = await skein(box, { args: [...args, "--runs", "2"] });
  const results = join(box.root, "eval-results", "kept");
  const judged = await skein(box, { args: ["eval", "judge", results, "--json"] });
  writeFileSync(join(results, "suite", "suite.yaml"), "name: other\n");
  const refused = await skein(box, { args });
  const told = (text: string) => text.split("\n").filter((line) => /changed since|had been changed/.test(line)).length;
  expect(
    {
      exits: [first.exitCode, second.exitCode, judged.exitCode, refused.exitCode],
      told: [told(first.stderr), told(second.stderr)],
      passed: [verdictOf(results, "try", 1).passed, verdictOf(results, "try", 2).passed],
      judged: JSON.parse(judged.stdout).passed,
      refused: refused.stderr.split("\n")[0],
    },
    second.stderr,
  ).toEqual({
    exits: [0, 0, 0, 2],
    told: [0, 2],
    passed: [true, true],
    judged: 2,
    refused: expect.stringContaining("is another one by now, and so is the suite"),
  });
});
