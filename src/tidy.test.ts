// Holds the repository to its own rules: who may import whom, what reaches the outside, the form of files.
// Each rule is first proven on snippets that break it and on snippets that look as if they did.
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { RULES, type RuleName } from "./testing/tidy/rules.ts";
import { trackedFiles } from "./testing/tidy/tracked-files.ts";

type Snippet = readonly [path: string, text: string];
type Proof = { readonly bad: readonly (readonly [...Snippet, message: string])[]; readonly good: readonly Snippet[] };

const lines = (count: number) => "// owns nothing\n".repeat(count);
/** Put together here, since this file must not hold what it looks for. */
const machinePath = ["", "work", "main"].join("/");
const registryHost = ["registry", "npmjs", "org"].join(".");

const PROOFS: Readonly<Record<RuleName, Proof>> = {
  importTable: {
    bad: [
      ["src/base/a.ts", 'import { b } from "../host/b.ts";', "base may not import host"],
      ["src/vcs/a.ts", 'import type { T } from "../swarm/t.ts";', "vcs may not import swarm"],
      ["src/vcs/deep/a.ts", 'export { t } from "../../agent/t.ts";', "vcs may not import agent"],
      ["src/swarm/a.ts", 'import { c } from "../clients/c.ts";', "swarm may not import clients"],
      ["src/tools/a.ts", 'const m = await import("../model/m.ts");', "tools may not import model"],
      ["src/agent/a.ts", 'type T = import("../vcs/t.ts").T;', "agent may not import vcs"],
      ["src/adapters/socket/a.ts", 'import { f } from "../node/f.ts";', "adapters/socket may not import adapters/node"],
      ["src/adapters/node/a.ts", 'import { r } from "../../app/r.ts";', "adapters/node may not import app"],
      ["src/cli/commands/a.ts", 'import { f } from "../../adapters/node/f.ts";', "cli may not import adapters/node"],
      ["src/cli/a.ts", 'import { s } from "../server/s.ts";', "cli may not import server"],
      ["src/cli/a.ts", 'import { d } from "../demo/d.ts";', "cli may not import demo"],
      ["src/app/a.ts", 'import { c } from "../cli/c.ts";', "app may not import cli"],
      ["src/app/a.ts", 'import { c } from "../testing/clock.ts";', "app may not import testing"],
      ["src/entries/skein.ts", 'import { c } from "../testing/clock.ts";', "entries may not import testing"],
      ["src/entries/hook.ts", 'import { m } from "../model/m.ts";', "src/entries/hook.ts may not import model"],
      ["src/entries/hook.ts", 'import "./skein.ts";', "src/entries/hook.ts may not import entries"],
      [
        "src/entries/hook.ts",
        'import "../adapters/socket/a.ts";',
        "src/entries/hook.ts may not import adapters/socket",
      ],
      ["src/log/a.ts", 'import { x } from "./b.test.ts";', "src/log/b.test.ts is a test; nothing imports a test"],
      ["src/log/a.test.ts", 'import { x } from "./b.test.ts";', "src/log/b.test.ts is a test; nothing imports a test"],
      ["src/log/a.ts", 'import { x } from "../../scripts/x.ts";', "scripts/x.ts is outside src"],
      ["src/plumbing/a.ts", "export const a = 1;", "src/plumbing is not in the import table"],
      ["src/a.ts", "export const a = 1;", "code lives in a folder of src, not in src itself"],
    ],
    good: [
      ["src/host/a.ts", 'import { b } from "../base/b.ts"; import { c } from "./c.ts"; import z from "zod";'],
      ["src/swarm/a.ts", 'import { t } from "../tools/t.ts"; import { v } from "../vcs/v.ts";'],
      ["src/adapters/node/a.ts", 'import { l } from "../../log/log.ts"; import { f } from "./sub/f.ts";'],
      ["src/app/a.ts", 'import { n } from "../adapters/node/n.ts"; import { d } from "../demo/d.ts";'],
      ["src/cli/a.ts", 'import { r } from "../app/r.ts"; import p from "../../package.json" with { type: "json" };'],
      ["src/entries/hook.ts", 'import { n } from "../adapters/node/n.ts"; import { s } from "../sessions/s.ts";'],
      ["src/vcs/a.test.ts", 'import { s } from "../testing/s.ts"; import { n } from "../adapters/node/n.ts";'],
      ["src/testing/a.ts", 'import { l } from "../log/log.ts"; import { n } from "../adapters/node/n.ts";'],
      ["src/base/a.ts", '// import { b } from "../host/b.ts";\nexport const text = \'import "../swarm/a.ts"\';'],
      ["test/cli/a.test.ts", 'import { s } from "../../src/testing/s.ts";'],
    ],
  },
  nothingOutside: {
    bad: [
      ["src/vcs/a.ts", 'import { readFile } from "node:fs/promises";', module("fs/promises")],
      ["src/vcs/a.ts", 'import type { Stats } from "fs";', module("fs")],
      ["src/evals/a.ts", 'import { spawn } from "node:child_process";', module("child_process")],
      ["src/model/a.ts", 'const http = await import("node:http");', module("http")],
      ["src/host/a.ts", 'type S = import("node:net").Socket;', module("net")],
      ["src/log/a.ts", 'import { setTimeout as sleep } from "node:timers/promises";', module("timers/promises")],
      ["src/agent/a.ts", 'import { env } from "node:process";', module("process")],
      ["src/log/a.ts", 'export { hostname } from "node:os";', module("os")],
      ["src/vcs/a.ts", 'import { Worker } from "node:worker_threads";', module("worker_threads")],
      ["src/log/a.ts", "const m = await import(name);", "a computed import can reach anything; name the module"],
      ["src/base/a.ts", 'import { randomUUID } from "node:crypto";', crypto("randomUUID")],
      ["src/base/a.ts", 'import * as everything from "node:crypto";', crypto("*")],
      ["src/base/a.ts", 'const c = await import("node:crypto");', crypto("*")],
      ["src/base/a.ts", "const id = crypto.randomUUID();", use("crypto")],
      ["src/base/a.ts", "const home = process.env.HOME;", use("process")],
      ["src/base/a.ts", "const home = `${process.env.HOME}/x`;", use("process")],
      ["src/base/a.ts", "const home = (process as { env: object }).env;", use("process")],
      ["src/base/a.ts", "function f(process: string) { return process; }\nf(process.argv0);", use("process")],
      ["src/base/a.ts", "setTimeout(f, 1);", use("setTimeout")],
      ["src/base/a.ts", "setInterval(f, 1);", use("setInterval")],
      ["src/base/a.ts", "const later = { later: setImmediate };", use("setImmediate")],
      ["src/base/a.ts", "const ports = { fetch };", use("fetch")],
      ["src/base/a.ts", "globalThis.setTimeout(f, 1);", use("globalThis.setTimeout")],
      ["src/base/a.ts", 'globalThis["process"].exit();', use("globalThis.process")],
      ["src/base/a.ts", "const t = Date.now();", use("Date.now")],
      ["src/base/a.ts", "const now = Date.now;", use("Date.now")],
      ["src/base/a.ts", "const t = new Date();", use("new Date()")],
      ["src/base/a.ts", "const t = new Date;", use("new Date()")],
      ["src/base/a.ts", "const t = Date();", use("Date()")],
      ["src/base/a.ts", "const t = performance.now();", use("performance")],
      ["src/base/a.ts", "const r = Math.random();", use("Math.random")],
      ["src/base/a.ts", "const s = AbortSignal.timeout(5);", use("AbortSignal.timeout")],
    ],
    good: [
      ["src/vcs/a.ts", 'import { createHash, type Hash } from "node:crypto"; import { join } from "node:path";'],
      ["src/log/a.ts", 'import { deflateSync } from "node:zlib"; import { Buffer } from "node:buffer";'],
      [
        "src/log/a.ts",
        'import { inspect } from "node:util"; import { strict } from "node:assert"; import { parse } from "yaml";',
      ],
      ["src/log/a.ts", 'import { setTimeout } from "../host/timers.ts"; setTimeout(f, 1);'],
      ["src/log/a.ts", "// Date.now() and process.env\n/* Math.random() */ const t = 'process.exit()' + `fetch()`;"],
      [
        "src/log/a.ts",
        "const re = /process.env/; const t = new Date(ms); const u = Math.max(1, 2); Date.UTC(2000, 1);",
      ],
      ["src/log/a.ts", "const o = { process: 1, fetch() {} }; o.process; o.fetch(); clock.setTimeout(f); host.crypto;"],
      ["src/log/a.ts", "for (const process of list) { process.kill(); }\nconst f = ({ fetch }: P) => fetch();"],
      ["src/log/a.ts", "type F = typeof fetch; interface P { process: string; setTimeout(f: () => void): void }"],
      ["src/vcs/a.test.ts", 'import { execFileSync } from "node:child_process"; Date.now();'],
      ["src/adapters/node/a.ts", 'import { readFile } from "node:fs/promises"; Date.now();'],
      ["src/testing/a.ts", "process.exit();"],
    ],
  },
  shortFiles: {
    bad: [
      ["src/base/a.ts", lines(501), "501 lines; split it, at most 500 land"],
      ["scripts/a.mjs", lines(600), "600 lines; split it, at most 500 land"],
    ],
    good: [
      ["src/base/a.ts", lines(500)],
      ["src/base/fixtures/a.ts", lines(501)],
      ["src/model/generated/a.ts", lines(501)],
      ["docs/spec/a.md", lines(501)],
    ],
  },
  headerComments: {
    bad: [
      ["src/base/a.ts", "export const a = 1;", "the file does not open with a comment on what it owns"],
      ["src/base/a.ts", "\n// Late.\n", "the file does not open with a comment on what it owns"],
      ["src/base/a.ts", "//\nexport const a = 1;", "the file does not open with a comment on what it owns"],
      ["src/base/a.ts", "", "the file does not open with a comment on what it owns"],
      ["src/base/a.ts", lines(7), "the opening comment has 7 lines; at most 6"],
      ["src/base/a.test.ts", `/*\n${"words\n".repeat(8)}*/\n`, "the opening comment has 8 lines; at most 6"],
    ],
    good: [
      ["src/base/a.ts", `${lines(6)}\n// Another comment.\n`],
      ["src/base/a.ts", `/**\n${" * words\n".repeat(6)} */\nexport const a = 1;`],
      ["src/entries/a.ts", "#!/usr/bin/env node\n// Starts it.\n"],
      ["scripts/a.ts", "export const a = 1;"],
    ],
  },
  namedExports: {
    bad: [
      ["src/base/a.ts", "export default 1;", "a default export has no name"],
      ["src/base/a.ts", "const a = 1; export { a as default };", "a default export has no name"],
      ["src/base/a.ts", 'export * from "./b.ts";', "export * hides what is exported; name it"],
      ["src/base/a.ts", 'export * as b from "./b.ts";', "export * hides what is exported; name it"],
    ],
    good: [
      ["src/base/a.ts", 'export const a = 1; export { b } from "./b.ts"; // export default\n'],
      ["vitest.config.ts", "export default {};"],
    ],
  },
  noAny: {
    bad: [
      ["src/base/a.ts", "const a: any = 1;", "any turns the type checker off; use unknown"],
      ["src/base/a.ts", "const a = b as any;", "any turns the type checker off; use unknown"],
      ["test/a.test.ts", "type A = Map<string, any[]>;", "any turns the type checker off; use unknown"],
    ],
    good: [["src/base/a.ts", 'const a: unknown = "as any"; const any = 1; // : any\nf({ any });']],
  },
  tellingNames: {
    bad: [
      ["src/base/utils/a.ts", "", '"utils" does not say what is inside'],
      ["test/helpers/a.ts", "", '"helpers" does not say what is inside'],
      ["src/common/a.ts", "", '"common" does not say what is inside'],
      ["src/base/utils.ts", "", '"utils.ts" does not say what is inside'],
    ],
    good: [
      ["src/base/common-ancestor.ts", ""],
      ["test/fixtures/utils/a.ts", ""],
    ],
  },
  testsAssert: {
    bad: [
      ["src/base/a.test.ts", 'test("a", () => { a(); });', "the test asserts nothing"],
      ["src/base/a.test.ts", 'import { expect } from "vitest"; // expect(1)\n"expect(1)";', "the test asserts nothing"],
      ["src/log/a.test.ts", 'import { describeLog } from "../testing/contract/log.ts";', "the test asserts nothing"],
    ],
    good: [
      ["src/base/a.test.ts", 'test("a", () => { expect(1).toBe(1); });'],
      ["src/base/a.test.ts", "assert.equal(1, 1);"],
      ["src/base/a.test.ts", "fc.assert(property);"],
      ["src/log/a.test.ts", 'import { describeLog } from "../testing/contract/log.ts"; describeLog("a", make);'],
      ["src/base/a.test.ts", 'import { expectTree } from "../testing/tree.ts"; expectTree(tree, []);'],
      ["src/base/a.ts", "a();"],
    ],
  },
  noTraces: {
    bad: [
      ["README.md", `Go to ${machinePath}.`, `a path of one machine: ${machinePath.replace("main", "")}`],
      ["package-lock.json", `"resolved": "https://${registryHost}/x.tgz"`, `a registry's host: ${registryHost}`],
    ],
    good: [["README.md", "Put it into my/work/folder and run the registry of adapters: registry.get(name)."]],
  },
};

describe.each(Object.entries(PROOFS))("rule %s", (name, { bad, good }) => {
  const rule = RULES[name as RuleName];

  test.each(bad)("refuses %s: %j", (path, text, message) => {
    expect(rule({ path, text }).map((finding) => finding.message)).toEqual([message]);
  });

  test.each(good)("allows %s: %j", (path, text) => {
    expect(rule({ path, text })).toEqual([]);
  });
});

test("a finding tells the line", () => {
  const file = { path: "src/base/a.ts", text: "// Owns nothing.\n\nexport const a = Date.now();\n" };
  expect(RULES.nothingOutside(file)).toEqual([{ path: file.path, line: 3, message: use("Date.now") }]);
});

const files = trackedFiles(dirname(import.meta.dirname));

test.each(Object.entries(RULES))("the repository keeps rule %s", (_name, rule) => {
  const findings = files.flatMap((file) => rule(file));
  expect(findings.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([]);
});

test("the files of the repository are seen", () => {
  expect(files.map((file) => file.path)).toContain("src/tidy.test.ts");
});

function module(name: string) {
  return `node:${name} reaches the outside; take a port of host`;
}

function use(name: string) {
  return `${name} reaches the outside; take a port of host`;
}

function crypto(name: string) {
  return `${name} of node:crypto is not hashing; take the port for chance`;
}
