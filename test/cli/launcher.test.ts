// The launcher as clients start it: whatever has become of Node and of Skein since it was written, it ends with 0 and prints what the hook
// prints and nothing else.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOOK_NODE_FLAGS, launcherText } from "../../src/clients/launcher-text.ts";

let root = "";
const at = (...parts: readonly string[]): string => join(root, ...parts);
const launcher = (): string => at("data dir", "skein", "skein-hook");

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-launcher-")));
  for (const path of ["data dir/skein", "package's/dist", "bin", "home", "empty"])
    mkdirSync(at(path), { recursive: true });
  // The hook says what it was given and which copy of it ran.
  const says = (copy: string): string =>
    `process.stdin.setEncoding("utf8").on("data", (text) => console.log(${JSON.stringify(copy)}, process.argv.slice(2).join(), text)); console.error("noise");`;
  writeFileSync(at("package's", "dist", "hook.cjs"), says("package"));
  writeFileSync(at("data dir", "skein", "hook.cjs"), says("copy"));
  program(launcher(), launcherText({ hook: at("package's", "dist", "hook.cjs"), node: at("bin", "node") }));
});

afterEach(() => rmSync(root, { recursive: true }));

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** A stand-in for Node: notes each start, says it is of that version, and runs the hook on the real one. */
function fakeNode(path: string, major: number): void {
  const real = `'${process.execPath}'`;
  const version = `[ "$1" != -e ] || exec ${real} -e "Object.defineProperty(process.versions, 'node', {value: '${major}.0.0'}); $2"`;
  program(
    path,
    `#!/bin/sh\necho "$*" | sed 's/^-e .*/-e/; s/ codex.*//' >>"${at("starts")}"\n${version}\nexec ${real} "$@"\n`,
  );
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function call({
  path = at("empty"),
  shell = "/bin/sh",
  env = {},
  words = ["codex"],
}: {
  path?: string;
  shell?: string;
  env?: object;
  words?: readonly string[];
} = {}): Ran {
  const { status, stdout, stderr } = spawnSync(shell, [launcher(), ...words], {
    env: { HOME: at("home"), PATH: `${path}:/bin-that-has-no-node`, ...env },
    input: "payload",
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function remember(node: string): void {
  writeFileSync(at("data dir", "skein", "node"), `${node}\n`);
}

const remembered = (): string | null =>
  existsSync(at("data dir", "skein", "node")) ? readFileSync(at("data dir", "skein", "node"), "utf8").trim() : null;
const starts = (): readonly string[] =>
  existsSync(at("starts")) ? readFileSync(at("starts"), "utf8").trim().split("\n") : [];

const fromPackage: Ran = { status: 0, stdout: "package codex payload\n", stderr: "" };
const nothing: Ran = { status: 0, stdout: "", stderr: "" };
/** Some machines have a fitting Node where everybody's is: it is then what a search finds. */
const everywhere = ["/usr/local/bin/node", "/opt/homebrew/bin/node", "/usr/bin/node"].some(
  (path) =>
    existsSync(path) &&
    Number(execFileSync(path, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" })) >= 24,
);

let asStarted = "";
beforeEach(() => {
  asStarted = `${HOOK_NODE_FLAGS} ${at("package's", "dist", "hook.cjs")}`;
});

test("P30 the usual way starts the remembered Node with the hook, once and nothing else", () => {
  fakeNode(at("bin", "node"), 24);
  remember(at("bin", "node"));
  expect(call()).toEqual(fromPackage);
  expect(starts()).toEqual([asStarted]);
});

test("P30 a Node that lacks one of the options runs the hook without them", () => {
  fakeNode(at("bin", "node"), 30);
  const able = at("bin", "able");
  renameSync(at("bin", "node"), able);
  program(at("bin", "node"), `#!/bin/sh\n[ "$1" = -e ] || case $* in --*) exit 9 ;; esac\nexec '${able}' "$@"\n`);
  remember(at("bin", "node"));
  expect([call(), remembered()]).toEqual([fromPackage, at("bin", "node")]);
  expect(starts()).toEqual([at("package's", "dist", "hook.cjs")]);
});

test("P30 P31 for a shell command the input is the same, git's output is not the client's, and a second Node gets both anew", () => {
  mkdirSync(at("other"));
  program(at("bin", "node"), "#!/bin/sh\nexit 99\n");
  fakeNode(at("other", "node"), 24);
  program(at("other", "git"), `#!/bin/sh\necho "$PWD" >>"${at("looks")}"\nprintf "seen by git"\n`);
  remember(at("bin", "node"));
  const shellWords = ["codex", "shell"];
  const told: Ran = { ...fromPackage, stdout: "package codex,shell payload\n" };
  expect(call({ path: at("other"), words: shellWords })).toEqual(told);
  expect(remembered()).toBe(at("other", "node"));
  expect(call({ path: at("other"), words: shellWords })).toEqual(told);
  const looks = existsSync(at("looks")) ? readFileSync(at("looks"), "utf8").trim().split("\n").length : 0;
  expect(looks).toBe(existsSync("/proc/self/fd") ? 3 : 0);
});

test("P30 after an upgrade of Skein the package's hook runs; once it is gone, the copy", () => {
  fakeNode(at("bin", "node"), 24);
  remember(at("bin", "node"));
  writeFileSync(at("package's", "dist", "hook.cjs"), 'console.log("newer")');
  expect(call()).toEqual({ ...fromPackage, stdout: "newer\n" });
  renameSync(at("package's"), at("moved"));
  expect(call()).toEqual({ ...fromPackage, stdout: "copy codex payload\n" });
  rmSync(at("data dir", "skein", "hook.cjs"));
  expect(call()).toEqual(nothing);
});

test("P30 a Node that was replaced by an older one in its place: another gets the same input, and what was wrong is past", () => {
  const older = at("bin", "node");
  mkdirSync(at("other"));
  const version = `[ "$1" != -e ] || exit 1`;
  program(older, `#!/bin/sh\necho "$1" >>"${at("starts")}"\n${version}\nexit 99\n`);
  remember(older);
  writeFileSync(at("data dir", "skein", "fault"), "earlier");
  fakeNode(at("other", "node"), 24);
  expect(call({ path: at("other") })).toEqual(fromPackage);
  expect([remembered(), existsSync(at("data dir", "skein", "fault"))]).toEqual([at("other", "node"), false]);
});

test("P30 a Node that cannot be started any more: a directory, one without its libraries: another gets the same input", () => {
  mkdirSync(at("other"));
  fakeNode(at("other", "node"), 24);
  mkdirSync(at("directory"));
  // What the system's loader ends with where a library is missing.
  program(at("bin", "node"), "#!/bin/sh\nexit 127\n");
  for (const unfit of [at("directory"), at("bin", "node")]) {
    remember(unfit);
    expect([call({ path: at("other") }), remembered()]).toEqual([fromPackage, at("other", "node")]);
  }
});

test("P30 after an upgrade of Node another one is found on the PATH, an older one passed over, and remembered", () => {
  remember(at("gone", "node"));
  mkdirSync(at("old"));
  mkdirSync(at("new dir"));
  fakeNode(at("old", "node"), 22);
  fakeNode(at("new dir", "node"), 26);
  const path = `${at("old")}:${at("new dir")}`;
  expect(call({ path })).toEqual(fromPackage);
  expect(remembered()).toBe(at("new dir", "node"));
  expect(starts()).toEqual(["-e", "-e", asStarted]);
  expect(call({ path: at("empty") })).toEqual(fromPackage);
  expect(starts().slice(3)).toEqual([asStarted]);
});

test.skipIf(everywhere)("P30 a version manager's Node is found where the PATH has none", () => {
  const node = at("home", ".nvm", "versions", "node", "v24.3.0", "bin");
  const old = at("home", ".nvm", "versions", "node", "v22.1.0", "bin");
  for (const path of [node, old]) mkdirSync(path, { recursive: true });
  fakeNode(join(node, "node"), 24);
  fakeNode(join(old, "node"), 22);
  expect(call()).toEqual(fromPackage);
  expect(remembered()).toBe(join(node, "node"));
});

test.skipIf(everywhere)("P30 where no Node fits it does nothing, quietly", () => {
  fakeNode(at("bin", "node"), 20);
  expect(call({ path: at("bin") })).toEqual(nothing);
  expect(remembered()).toBe(null);
});

test("P30 a Node that cannot run the hook is noted and forgotten, and the agent never hears of it", () => {
  program(at("bin", "node"), "#!/bin/sh\necho broken >&2\nexit 7\n");
  remember(at("bin", "node"));
  expect(call()).toEqual(nothing);
  expect(remembered()).toBe(null);
  expect(readFileSync(at("data dir", "skein", "fault"), "utf8")).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: .*\/bin\/node ended with 7\n$/,
  );
});

test("P30 what a person debugs Node with is not for the hook, and it can be switched off", () => {
  fakeNode(at("bin", "node"), 24);
  remember(at("bin", "node"));
  expect(call({ env: { NODE_OPTIONS: "--require=/no/such/file" } })).toEqual(fromPackage);
  expect(call({ env: { SKEIN_HOOKS_OFF: "1" } })).toEqual(nothing);
});

test("P30 a directory that cannot be written, as on a full disk, costs nothing", () => {
  mkdirSync(at("new dir"));
  fakeNode(at("new dir", "node"), 24);
  // As root no mode keeps from writing: a directory in the way does.
  mkdirSync(at("data dir", "skein", "node"));
  expect(call({ path: at("new dir") })).toEqual(fromPackage);
});

test.each(["/bin/bash", "/bin/dash", "/usr/bin/zsh"].filter(existsSync))("P30 under %s", (shell) => {
  fakeNode(at("bin", "node"), 24);
  expect(call({ shell, path: at("bin") })).toEqual(fromPackage);
});
