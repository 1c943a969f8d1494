// The server's file where a client may have several, and the other clients' servers on a real disk: put in, told by doctor, and gone again.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import { HOOKED_CLIENTS, type HookedClient, projectServer, userServer } from "../../clients/launcher-command.ts";
import type { Surroundings } from "../surroundings.ts";
import { applyInstall, applyUninstall, finishUninstall, prepareInstall } from "./apply.ts";
import { hookFindings } from "./findings.ts";
import { launcherPlaces, type Scope } from "./places.ts";
import { planInstall } from "./plan.ts";
import { planUninstall } from "./plan-removal.ts";

const standInHook = `const { execPath: node, version, argv } = process;
if (argv[2] === "--check") console.log(JSON.stringify({ node, version, hook: argv[1], state: "/state" }));`;

let root = "";
const at = (...parts: readonly string[]): string => join(root, ...parts);
const clients = ["gemini", "qwen", "copilot", "opencode"] as const;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-servers-")));
  for (const path of ["home", "bin", "package/dist", "repository/.git"]) mkdirSync(at(path), { recursive: true });
  for (const name of ["hook.cjs", "hook-main.cjs"]) writeFileSync(at("package", "dist", name), standInHook);
});

afterEach(() => rmSync(root, { recursive: true }));

function around(cwd = at("repository")): Surroundings {
  return {
    host: nodeHost(),
    env: { HOME: at("home"), PATH: `${at("bin")}:/usr/bin:/bin`, SKEIN_STATE_DIR: at("state") },
    cwd,
    processId: 1,
    platform: process.platform,
    packageRoot: at("package"),
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: root,
  };
}

async function install(named: readonly HookedClient[], scope: Scope = "user"): Promise<void> {
  const places = unwrap(launcherPlaces(around().env), "places");
  unwrap(await prepareInstall(around(), places), "launcher");
  for (const { plan } of await planInstall(around(), named, { scope, statusLine: false }))
    unwrap(await applyInstall(around(), places, unwrap(plan, "plan")), "install");
}

async function uninstall(): Promise<boolean> {
  const places = unwrap(launcherPlaces(around().env), "places");
  for (const { plan } of await planUninstall(around(), HOOKED_CLIENTS, ["user", "project"]))
    unwrap(await applyUninstall(around(), places, unwrap(plan, "plan")), "uninstall");
  return finishUninstall(around(), places);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

const read = (path: string): string => readFileSync(at(path), "utf8");
const launcher = (): string => at("home", ".local", "share", "skein", "skein-hook");

test("P26 each client's server where it keeps its servers, in its own form, and the bytes again", async () => {
  const before = {
    "home/.gemini/settings.json": '{\n  // mine\n  "mcp": { "allowed": ["skein"] }\n}\n',
    "home/.qwen/settings.json": '{"$version":4,"mcpServers":{"other":{"command":"x"}}}',
    "home/.copilot/mcp-config.json": '{\n\t"mcpServers": {}\n}',
    "home/.config/opencode/opencode.jsonc": '{\n  "permission": { "*": "ask", },\n}\n',
  };
  for (const [path, text] of Object.entries(before)) write(path, text);
  await install(clients);
  const { command, args } = userServer(launcher());
  const uncommented = (path: string) =>
    JSON.parse(
      read(path)
        .replace(/\/\/.*/g, "")
        .replace(/,(?=\s*\})/g, ""),
    );
  expect(uncommented("home/.gemini/settings.json").mcpServers).toEqual({ skein: { command, args, trust: true } });
  expect(uncommented("home/.qwen/settings.json").mcpServers.skein).toEqual({ command, args, trust: true });
  const local = { type: "local", command, args, tools: ["*"] };
  expect(JSON.parse(read("home/.copilot/mcp-config.json"))).toEqual({ mcpServers: { skein: local } });
  expect(uncommented("home/.config/opencode/opencode.jsonc")).toEqual({
    permission: { "*": "ask", "skein_*": "allow" },
    mcp: { skein: { type: "local", command: [command, ...args], enabled: true } },
  });
  const installed = Object.keys(before).map(read);
  await install(clients);
  expect(Object.keys(before).map(read)).toEqual(installed);
  expect(await uninstall()).toBe(true);
  expect(Object.fromEntries(Object.keys(before).map((path) => [path, read(path)]))).toEqual(before);
});

test("P26 opencode's server stays in the file that has it, when another that would be preferred appears", async () => {
  await install(["opencode"]);
  const [json, jsonc] = ["home/.config/opencode/opencode.json", "home/.config/opencode/opencode.jsonc"];
  const installed = read(json);
  write(jsonc, '{ "theme": "mine" }');
  await install(["opencode"]);
  expect([read(json), read(jsonc)]).toEqual([installed, '{ "theme": "mine" }']);
  expect(await uninstall()).toBe(true);
  expect(readdirSync(at("home", ".config", "opencode"))).toEqual(["opencode.jsonc"]);
});

test("P26 a project's files that lie deeper, and its servers, are remembered as well", async () => {
  await install([...clients, "pi"], "project");
  const plans = await planUninstall(around(at("home")), HOOKED_CLIENTS, ["user", "project"]);
  expect(plans.map(({ plan }) => plan.ok && plan.value.file.path.replace(at("repository"), ""))).toEqual([
    "/.gemini/settings.json",
    "/.qwen/settings.json",
    "/.github/hooks/skein.json",
    "/.github/mcp.json",
    "/.opencode/plugin/skein.js",
    "/.opencode/opencode.json",
    "/.pi/extensions/skein.ts",
  ]);
  // The same for everybody.
  expect(JSON.parse(read("repository/.github/mcp.json")).mcpServers.skein).toMatchObject(projectServer());
  expect(await uninstall()).toBe(true);
  expect(readdirSync(at("repository"))).toEqual([".git"]);
});

test.each([
  ["gemini", "home/.gemini/settings.json", /,?\s*"mcpServers": \{[\s\S]*\}(?=\s*\}\s*$)/],
  ["copilot", "home/.copilot/mcp-config.json", /[\s\S]+/],
  ["opencode", "home/.config/opencode/opencode.json", /[\s\S]+/],
] as const)("doctor tells of %s without the server", async (client, path, server) => {
  await install([client]);
  const detail = async () => (await hookFindings(around())).find(({ name }) => name === `${client} hooks`)?.detail;
  expect(await detail()).toMatch(/last seen firing never yet$/);
  write(path, read(path).replace(server, client === "gemini" ? "" : "{}"));
  expect(await detail()).toMatch(/its MCP server for notes is not registered$/);
});

test("doctor tells of entries and of a launcher that another Skein has written, which work as they are", async () => {
  write("bin/claude", "#!/bin/sh\necho '2.1.332 (Claude Code)'\n");
  chmodSync(at("bin", "claude"), 0o755);
  const [settings, launcher] = ["home/.claude/settings.json", "home/.local/share/skein/skein-hook"];
  const finding = async () => {
    const found = (await hookFindings(around())).find(({ name }) => name === "claude-code hooks");
    return { detail: found?.detail, remedy: found?.remedy };
  };
  await install(["claude-code"]);
  const own = await finding();
  const [entries, script] = [read(settings), read(launcher)];
  write(settings, entries.replaceAll(" claude-code shell", " claude-code"));
  const olderEntries = await finding();
  writeFileSync(at(launcher), script.replace("# Whether", "# If"));
  const both = await finding();
  write(settings, entries);
  const olderLauncher = await finding();
  await install(["claude-code"]);
  const told = (what: string) => ({
    detail: own.detail?.replace("; the launcher", `; ${what} of another Skein, which may be slower; the launcher`),
    remedy: "skein install claude-code renews what is another's",
  });
  expect(own.remedy).toBe("start a new session");
  expect([olderEntries, both, olderLauncher, await finding()]).toEqual([
    told("entries"),
    told("entries and launcher"),
    told("launcher"),
    own,
  ]);
});
