// Installing and uninstalling on a real disk, with stand-ins for the clients' commands.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import { HOOKED_CLIENTS, type HookedClient } from "../../clients/launcher-command.ts";
import type { Host } from "../../host/host.ts";
import type { Surroundings } from "../surroundings.ts";
import { applyInstall, applyInstallAnew, applyUninstall, finishUninstall, prepareInstall } from "./apply.ts";
import { exclusively } from "./exclusive.ts";
import { hookFindings } from "./findings.ts";
import { launcherPlaces, type Scope } from "./places.ts";
import { planInstall } from "./plan.ts";
import { planUninstall } from "./plan-removal.ts";

/** Answers a check as the hook does. */
const standInHook = `const { execPath: node, version, argv } = process;
if (argv[2] === "--check") console.log(JSON.stringify({ node, version, hook: argv[1], state: "/state" }));`;

let root = "";
const at = (...parts: readonly string[]): string => join(root, ...parts);
const settings = (): string => at("home", ".claude", "settings.json");

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-install-")));
  for (const path of ["home", "package/dist", "bin", "repository/.git", "repository/src"])
    mkdirSync(at(path), { recursive: true });
  for (const name of ["hook.cjs", "hook-main.cjs"]) writeFileSync(at("package", "dist", name), standInHook);
  client("claude", "2.1.332 (Claude Code)");
  client("codex", "codex-cli 0.171.0");
});

afterEach(() => rmSync(root, { recursive: true }));

function client(name: string, version: string): void {
  writeFileSync(at("bin", name), `#!/bin/sh\n[ "$1" = --version ] && echo '${version}'\n`);
  chmodSync(at("bin", name), 0o755);
}

function around(host: Host = nodeHost()): Surroundings {
  return {
    host,
    env: { HOME: at("home"), PATH: `${at("bin")}:/usr/bin:/bin`, SKEIN_STATE_DIR: at("state") },
    cwd: at("repository", "src"),
    processId: 1,
    platform: process.platform,
    packageRoot: at("package"),
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: root,
  };
}

/** Error kinds by client; nothing where all went well. */
async function install(
  clients: readonly HookedClient[] = ["claude-code", "codex"],
  scope: Scope = "user",
  host?: Host,
) {
  const surroundings = around(host);
  const places = unwrap(launcherPlaces(surroundings.env), "places");
  const plans = await planInstall(surroundings, clients, { scope, statusLine: false });
  const errors: Record<string, string> = {};
  if (plans.some(({ plan }) => plan.ok)) unwrap(await prepareInstall(around(), places), "launcher");
  for (const { client: name, plan } of plans) {
    const applied = plan.ok ? await applyInstall(surroundings, places, plan.value) : plan;
    if (!applied.ok) errors[name] = applied.error.kind;
  }
  return errors;
}

async function uninstall(scopes: readonly Scope[] = ["user", "project"]) {
  const surroundings = around();
  const places = unwrap(launcherPlaces(surroundings.env), "places");
  const errors: Record<string, string> = {};
  for (const { client: name, plan } of await planUninstall(surroundings, HOOKED_CLIENTS, scopes)) {
    const applied = plan.ok ? await applyUninstall(surroundings, places, plan.value) : plan;
    if (!applied.ok) errors[name] = applied.error.kind;
  }
  const launcherGone = await finishUninstall(surroundings, places);
  return { errors, launcherGone };
}

/** Every path below the home, files with their content. */
function home(): Readonly<Record<string, string>> {
  const entries = readdirSync(at("home"), { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(at("home").length + 1), entry.isFile() ? readFileSync(path, "utf8") : "-"] as const;
  });
  return Object.fromEntries(entries.filter(([path]) => !/^\.local(\/share)?$/.test(path)));
}

const odd = '{\r\n\t"model": "opus",\r\n\t"hooks" : { "SessionStart" : [ ] }\r\n}';

test("P26 a fresh home has nothing of ours left after uninstall, not even a directory", async () => {
  expect(await install(HOOKED_CLIENTS)).toEqual({});
  expect(Object.keys(home()).sort()).toEqual([
    ".claude",
    ".claude.json",
    ".claude/settings.json",
    ".codex",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".config",
    ".config/opencode",
    ".config/opencode/opencode.json",
    ".config/opencode/plugin",
    ".config/opencode/plugin/skein.js",
    ".copilot",
    ".copilot/hooks",
    ".copilot/hooks/skein.json",
    ".copilot/mcp-config.json",
    ".cursor",
    ".cursor/hooks.json",
    ".gemini",
    ".gemini/settings.json",
    ".local/share/skein",
    ".local/share/skein/hook.cjs",
    ".local/share/skein/installed.json",
    ".local/share/skein/node",
    ".local/share/skein/skein-hook",
    ".pi",
    ".pi/agent",
    ".pi/agent/extensions",
    ".pi/agent/extensions/skein.ts",
    ".qwen",
    ".qwen/settings.json",
  ]);
  expect(await uninstall()).toEqual({ errors: {}, launcherGone: true });
  expect(home()).toEqual({});
});

test("P26 a person's file keeps its bytes and who may read it; installing twice writes nothing", async () => {
  mkdirSync(at("home", ".claude"));
  writeFileSync(settings(), odd, { mode: 0o600 });
  await install(["claude-code"]);
  const [installed, inode] = [readFileSync(settings(), "utf8"), statSync(settings()).ino];
  expect([installed.length > odd.length, statSync(settings()).mode & 0o777]).toEqual([true, 0o600]);
  await install(["claude-code"]);
  expect([readFileSync(settings(), "utf8"), statSync(settings()).ino]).toEqual([installed, inode]);
  await uninstall();
  expect([home(), statSync(settings()).mode & 0o777]).toEqual([
    { ".claude": "-", ".claude/settings.json": odd },
    0o600,
  ]);
});

test("P26 an empty file that a person made stays, one that we made goes", async () => {
  mkdirSync(at("home", ".claude"));
  writeFileSync(settings(), "{}\n");
  await install();
  await uninstall();
  expect(home()).toEqual({ ".claude": "-", ".claude/settings.json": "{}\n" });
});

test("P26 what a person has added to a file that we made keeps the file", async () => {
  await install(["claude-code"]);
  const changed = { ...JSON.parse(readFileSync(settings(), "utf8")), theme: "dark" };
  writeFileSync(settings(), JSON.stringify(changed, null, 2));
  await uninstall();
  expect(home()).toEqual({ ".claude": "-", ".claude/settings.json": '{\n  "theme": "dark"\n}' });
});

test("P28 a symlinked file is written through its link, a symlinked directory too", async () => {
  mkdirSync(at("dotfiles", "codex"), { recursive: true });
  mkdirSync(at("home", ".claude"));
  writeFileSync(at("dotfiles", "claude.json"), odd);
  symlinkSync("../../dotfiles/claude.json", settings());
  symlinkSync(at("dotfiles", "codex"), at("home", ".codex"));
  expect(await install()).toEqual({});
  const links = [settings(), at("home", ".codex")].map((path) => lstatSync(path).isSymbolicLink());
  expect(links).toEqual([true, true]);
  expect(readdirSync(at("dotfiles")).sort()).toEqual(["claude.json", "codex"]);
  expect(readFileSync(at("dotfiles", "claude.json"), "utf8")).toContain("skein-hook");
  expect(readdirSync(at("dotfiles", "codex")).sort()).toEqual(["config.toml", "hooks.json"]);
  await uninstall();
  expect(readFileSync(at("dotfiles", "claude.json"), "utf8")).toBe(odd);
  expect([readlinkSync(settings()), readdirSync(at("dotfiles", "codex"))]).toEqual(["../../dotfiles/claude.json", []]);
});

test("P28 a link to nothing is not followed", async () => {
  mkdirSync(at("home", ".claude"));
  symlinkSync(at("nowhere.json"), settings());
  expect(await install(["claude-code"])).toEqual({ "claude-code": "dangling" });
  expect([lstatSync(settings()).isSymbolicLink(), existsSync(at("nowhere.json"))]).toEqual([true, false]);
});

test.each([
  ["malformed JSON", Buffer.from('{"a":1,}')],
  ["nothing", Buffer.from("")],
  ["UTF-16", Buffer.from("\ufeff{}", "utf16le")],
  ["Latin-1", Buffer.from('{"a":"ä"}', "latin1")],
])("P27 %s is refused and left alone, and the other client is installed", async (_name, bytes) => {
  mkdirSync(at("home", ".claude"));
  writeFileSync(settings(), bytes);
  expect(await install()).toEqual({ "claude-code": "settings" });
  expect(readFileSync(settings())).toEqual(bytes);
  expect(existsSync(at("home", ".codex", "hooks.json"))).toBe(true);
  // What has nothing of ours in it is no obstacle.
  expect(await uninstall()).toEqual({ errors: {}, launcherGone: true });
  expect(readFileSync(settings())).toEqual(bytes);
});

test("P27 a file that was spoiled after installing is left for its person, and the launcher with it", async () => {
  await install(["claude-code"]);
  const spoiled = `${readFileSync(settings(), "utf8")}oops`;
  writeFileSync(settings(), spoiled);
  expect(await uninstall()).toEqual({ errors: { "claude-code": "settings" }, launcherGone: false });
  expect(readFileSync(settings(), "utf8")).toBe(spoiled);
});

test("a file that its client writes at the same moment is left as the client wrote it", async () => {
  mkdirSync(at("home", ".claude"));
  writeFileSync(settings(), odd);
  const surroundings = around();
  const places = unwrap(launcherPlaces(surroundings.env), "places");
  const [planned] = await planInstall(surroundings, ["claude-code"], { scope: "user", statusLine: false });
  const plan = unwrap(planned!.plan, "plan");
  writeFileSync(settings(), '{"model":"new"}');
  expect(await applyInstall(surroundings, places, plan)).toEqual({
    ok: false,
    error: { kind: "changed-meanwhile", path: settings() },
  });
  expect(home()).toEqual({ ".claude": "-", ".claude/settings.json": '{"model":"new"}' });
});

/** Writes into the file, as it stands under that name, right before it is renamed over. */
function writingBefore(text: string, times: number): Host {
  const host = nodeHost();
  let left = times;
  const rename: Host["files"]["rename"] = async (from, to) => {
    if (to === settings() && left-- > 0) writeFileSync(settings(), text.replace("#", String(left)));
    return host.files.rename(from, to);
  };
  return { ...host, files: { ...host.files, rename } };
}

test("P26 what its client writes into the file between the last look and the rename is put back", async () => {
  mkdirSync(at("home", ".claude"));
  writeFileSync(settings(), odd, { mode: 0o600 });
  const theirs = '{"model":"written at the last moment"}';
  expect(await install(["claude-code"], "user", writingBefore(theirs, 1))).toEqual({
    "claude-code": "changed-meanwhile",
  });
  expect([home(), statSync(settings()).mode & 0o777]).toEqual([
    expect.objectContaining({ ".claude/settings.json": theirs }),
    0o600,
  ]);
  expect(readdirSync(at("home", ".claude"))).toEqual(["settings.json"]);
});

test("P26 a file that its client changes meanwhile is read again, and holds both changes; not for ever", async () => {
  mkdirSync(at("home", ".claude"));
  const theirs = '{\n  "model": "changed meanwhile #"\n}\n';
  const options = { scope: "user", statusLine: false } as const;
  const outcomes = [];
  unwrap(await prepareInstall(around(), unwrap(launcherPlaces(around().env), "places")), "launcher");
  for (const times of [1, 9]) {
    writeFileSync(settings(), odd);
    const surroundings = around(writingBefore(theirs, times));
    const places = unwrap(launcherPlaces(surroundings.env), "places");
    const [planned] = await planInstall(surroundings, ["claude-code"], options);
    const plan = unwrap(planned!.plan, "plan");
    outcomes.push(await applyInstallAnew(surroundings, places, plan, options));
    const text = readFileSync(settings(), "utf8");
    expect([text.includes("changed meanwhile"), text.includes("skein-hook")]).toEqual([true, times === 1]);
  }
  expect(outcomes).toEqual([
    { ok: true, value: undefined },
    { ok: false, error: { kind: "changed-meanwhile", path: settings() } },
  ]);
});

test("P28 a link that leads to another file by now is not written through", async () => {
  mkdirSync(at("home", ".claude"));
  for (const name of ["one.json", "two.json"]) writeFileSync(at(name), odd);
  symlinkSync(at("one.json"), settings());
  const surroundings = around();
  const places = unwrap(launcherPlaces(surroundings.env), "places");
  const [planned] = await planInstall(surroundings, ["claude-code"], { scope: "user", statusLine: false });
  rmSync(settings());
  symlinkSync(at("two.json"), settings());
  const applied = await applyInstall(surroundings, places, unwrap(planned!.plan, "plan"));
  expect(applied).toEqual({ ok: false, error: { kind: "changed-meanwhile", path: settings() } });
  expect(["one.json", "two.json"].map((name) => readFileSync(at(name), "utf8"))).toEqual([odd, odd]);
});

test("of two installations at once the second does nothing and says so", async () => {
  const inner = () => exclusively(around(), async () => "second");
  const both = await exclusively(around(), async () => [await inner(), await inner()]);
  expect(both).toEqual({
    ok: true,
    value: Array(2).fill({ ok: false, error: { kind: "busy" } }),
  });
  expect(await inner()).toEqual({ ok: true, value: "second" });
});

test.each(["write", "rename"] as const)(
  "a disk that is full at %s leaves the old file and nothing else",
  async (operation) => {
    mkdirSync(at("home", ".claude"));
    writeFileSync(settings(), odd);
    const host = nodeHost();
    const full = async (path: string) =>
      ({ ok: false, error: { kind: "file", code: "no-space", path, message: "ENOSPC" } }) as const;
    expect(await install(["claude-code"], "user", { ...host, files: { ...host.files, [operation]: full } })).toEqual({
      "claude-code": "file",
    });
    expect([readFileSync(settings(), "utf8"), readdirSync(at("home", ".claude"))]).toEqual([odd, ["settings.json"]]);
  },
);

test("only what the installed version knows; one that has no hooks is refused", async () => {
  client("claude", "1.0.62 (Claude Code)");
  client("codex", "codex-cli 0.99.0");
  expect(await install()).toEqual({ codex: "old-client" });
  expect(Object.keys(JSON.parse(readFileSync(settings(), "utf8")).hooks).sort()).toEqual([
    "Notification",
    "PostToolUse",
    "PreCompact",
    "PreToolUse",
    "SessionStart",
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
  ]);
});

test("after an update of the client a second install brings the new events, and doctor asks for it", async () => {
  client("claude", "1.0.62 (Claude Code)");
  await install(["claude-code"]);
  client("claude", "2.1.332 (Claude Code)");
  const before = (await hookFindings(around())).find(({ name }) => name === "claude-code hooks");
  expect(before?.detail).toMatch(/this version also has PostToolUseFailure, PermissionRequest, .*SessionEnd$/);
  await install(["claude-code"]);
  const after = (await hookFindings(around())).find(({ name }) => name === "claude-code hooks");
  expect(after?.detail).toMatch(/last seen firing never yet$/);
  expect(after?.detail).toContain(
    `; the launcher runs ${at("package", "dist", "hook.cjs")} on Node ${process.version} (${process.execPath}); `,
  );
  expect(JSON.parse(readFileSync(settings(), "utf8")).hooks.Stop.length).toBe(1);
});

test("a project's settings: at its root, the same for everybody, and removed from anywhere", async () => {
  expect(await install(["claude-code"], "project")).toEqual({});
  const path = at("repository", ".claude", "settings.json");
  const text = readFileSync(path, "utf8");
  expect([text.includes(root), text.includes("$HOME/.local/share")]).toEqual([false, true]);
  const [user] = await planInstall(around(), ["claude-code"], { scope: "user", statusLine: false });
  expect(user?.plan.ok && user.plan.value.notes).toEqual([
    expect.stringMatching(/^they are installed for the project too/),
  ]);
  expect(await uninstall(["user"])).toEqual({ errors: {}, launcherGone: false });
  expect(readFileSync(path, "utf8")).toBe(text);
  // The record remembers it where the current directory does not.
  const elsewhere = { ...around(), cwd: at("home") };
  const plans = await planUninstall(elsewhere, HOOKED_CLIENTS, ["user", "project"]);
  expect(plans.map(({ plan }) => plan.ok && plan.value.file.path)).toEqual([path, at("repository", ".mcp.json")]);
  expect(await uninstall()).toEqual({ errors: {}, launcherGone: true });
  expect(readdirSync(at("repository")).sort()).toEqual([".git", "src"]);
});

test("a record of ours that is lost or damaged costs an empty file, no more", async () => {
  await install(["claude-code"]);
  writeFileSync(at("home", ".local", "share", "skein", "installed.json"), "{");
  expect(await uninstall()).toEqual({ errors: {}, launcherGone: true });
  expect(home()).toEqual({ ".claude": "-", ".claude.json": "{}\n", ".claude/settings.json": "{}\n" });
});

test("P26 the MCP server is registered, its tools allowed, and both go again though the client wrote its file in between", async () => {
  const own = at("home", ".claude.json");
  const people = { numStartups: 7, projects: { "/a": { mcpServers: {} } } };
  writeFileSync(own, JSON.stringify(people, null, 2));
  await install();
  const launcher = at("home", ".local", "share", "skein", "skein-hook");
  const server = { command: launcher, args: ["mcp"] };
  expect(JSON.parse(readFileSync(own, "utf8"))).toEqual({
    ...people,
    mcpServers: { skein: { type: "stdio", ...server } },
  });
  expect(JSON.parse(readFileSync(settings(), "utf8")).permissions).toEqual({ allow: ["mcp__skein__*"] });
  expect(parse(readFileSync(at("home", ".codex", "config.toml"), "utf8"))).toEqual({
    mcp_servers: { skein: { ...server, env_vars: expect.arrayContaining(["SKEIN_STATE_DIR", "XDG_STATE_HOME"]) } },
  });
  const installed = home();
  await install();
  expect(home()).toEqual(installed);
  // Claude Code counts its starts, Codex notes what its person trusts.
  const rewritten = { ...JSON.parse(readFileSync(own, "utf8")), numStartups: 8 };
  writeFileSync(own, JSON.stringify(rewritten, null, 2));
  const trust =
    '\n[projects."/a"]\ntrust_level = "trusted"\n\n[mcp_servers.skein.tools.note]\napproval_mode = "approve"\n';
  writeFileSync(at("home", ".codex", "config.toml"), trust, { flag: "a" });
  expect(await uninstall()).toEqual({ errors: {}, launcherGone: true });
  expect(home()).toEqual({
    ".claude.json": JSON.stringify({ ...people, numStartups: 8 }, null, 2),
    ".codex": "-",
    ".codex/config.toml": '\n[projects."/a"]\ntrust_level = "trusted"\n',
  });
});

test("doctor: what keeps hooks from running, one after the other", async () => {
  const finding = async (name: string) => (await hookFindings(around())).find((one) => one.name === name);
  await install(["claude-code"]);
  writeFileSync(settings(), JSON.stringify({ ...JSON.parse(readFileSync(settings(), "utf8")), disableAllHooks: true }));
  expect(await finding("claude-code hooks")).toEqual({
    name: "claude-code hooks",
    state: "absent",
    detail: `Claude Code 2.1.332: in ${settings()}; all hooks are switched off: disableAllHooks is set`,
    remedy: "switch them on there",
  });
  rmSync(settings());
  await install(["claude-code"]);
  writeFileSync(at("home", ".claude.json"), '{"mcpServers":{}}');
  expect(await finding("claude-code hooks")).toMatchObject({
    detail: expect.stringMatching(/its MCP server for notes is not registered$/),
    remedy: "skein install claude-code",
  });
  rmSync(at("home", ".local", "share", "skein", "skein-hook"));
  expect((await finding("claude-code hooks"))?.detail).toMatch(
    /the launcher that they call is missing: \/.*skein-hook$/,
  );
  writeFileSync(at("home", ".local", "share", "skein", "fault"), "2026-11-30T00:00:00Z: /node ended with 7\n");
  expect((await finding("hook launcher"))?.detail).toBe("2026-11-30T00:00:00Z: /node ended with 7");
  writeFileSync(settings(), "{");
  expect((await finding("claude-code hooks"))?.detail).toMatch(
    /settings\.json: CloseBraceExpected at line 1, column 2$/,
  );
});

test("P30 doctor runs the launcher that the settings name, wherever this process's own data lies", async () => {
  const finding = async (more: Surroundings["env"] = {}) => {
    const surroundings = { ...around(), env: { ...around().env, ...more } };
    return (await hookFindings(surroundings)).find((one) => one.name === "claude-code hooks");
  };
  await install(["claude-code"]);
  expect((await finding({ XDG_DATA_HOME: at("elsewhere") }))?.state).toBe("absent");
  expect((await finding({ XDG_DATA_HOME: at("elsewhere") }))?.detail).toMatch(/last seen firing never yet$/);
  expect((await finding({ SKEIN_HOOKS_OFF: "1" }))?.detail).toMatch(/SKEIN_HOOKS_OFF is 1 here: hooks do nothing$/);
  // It is there, and may be run, and runs no hook.
  for (const name of ["hook.cjs", "hook-main.cjs"]) writeFileSync(at("package", "dist", name), "process.exit(7)");
  const spoiled = await finding();
  expect([spoiled?.state, spoiled?.remedy, spoiled?.detail]).toEqual([
    "absent",
    "skein install claude-code",
    expect.stringMatching(/skein-hook was started and ran no hook \(it noted .* ended with 7\)$/),
  ]);
});

test("doctor tells of each agent that is here, and of no other", async () => {
  client("gemini", "0.61.0");
  client("copilot", "GitHub Copilot CLI 1.0.102.\nCommit: 5ea2d3b");
  await install(["gemini"]);
  const findings = (await hookFindings(around())).map(({ name, detail }) => [name, detail]);
  expect(findings).toEqual([
    ["claude-code hooks", "Claude Code 2.1.332: not installed"],
    ["codex hooks", "Codex 0.171.0: not installed"],
    ["gemini hooks", expect.stringMatching(/^Gemini CLI 0\.61\.0: in \S+settings\.json; the launcher runs /)],
    ["copilot hooks", "Copilot CLI 1.0.102: not installed"],
  ]);
});

test("in the home directory the user's settings are the project's, once", async () => {
  const surroundings = { ...around(), cwd: at("home") };
  await install(["claude-code"]);
  const [plan] = await planInstall(surroundings, ["claude-code"], { scope: "user", statusLine: false });
  expect(plan?.plan.ok && plan.plan.value.notes).toEqual([]);
  const [finding] = await hookFindings(surroundings);
  expect(finding?.detail).toMatch(
    /^Claude Code 2\.1\.332: in \S+settings\.json; the launcher runs [^;]+; last seen firing never yet$/,
  );
});
