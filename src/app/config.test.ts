// Which files are read: on the simulated disk, links and special files included.

import { dirname } from "node:path";
import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { loadConfigs, userConfigPath } from "./config.ts";

async function disk(tree: Readonly<Record<string, string>>): Promise<SimHost> {
  const host = simHost({ seed: 1 });
  for (const [path, text] of Object.entries(tree)) {
    unwrap(await host.files.makeDirectory(dirname(path)), path);
    unwrap(await host.files.write(path, new TextEncoder().encode(text)), path);
  }
  return host;
}

const named = (check: string) => JSON.stringify({ check });
const env = { HOME: "/home/me" };

function load({ files }: SimHost, directory: string, repositoryRoot: string | null = "/r") {
  return loadConfigs({ files, env, directory, repositoryRoot });
}

test("the nearest file up to the repository's root is read, and the person's own beneath it", async () => {
  const host = await disk({
    "/skein.config.json": named("above the repository"),
    "/r/skein.config.json": named("root"),
    "/r/a/skein.config.json": named("a"),
    "/r/a/b/c/file": "",
    "/r/d/file": "",
    "/home/me/.config/skein/config.json": named("own"),
  });
  const user = { path: "/home/me/.config/skein/config.json", config: { check: "own" } };
  const found = (path: string, check: string) => ({ ok: true, value: { project: { path, config: { check } }, user } });
  expect(await load(host, "/r/a/b/c")).toEqual(found("/r/a/skein.config.json", "a"));
  expect(await load(host, "/r/d")).toEqual(found("/r/skein.config.json", "root"));
  expect(await load(host, "/r")).toEqual(found("/r/skein.config.json", "root"));
  // Started elsewhere with --repo: the repository's own counts.
  expect(await load(host, "/home/me")).toEqual(found("/r/skein.config.json", "root"));
  // Outside a repository nothing above is looked at.
  expect(await load(host, "/r/a/b", null)).toEqual({ ok: true, value: { project: null, user } });
});

test("without files there are no settings", async () => {
  expect(await load(await disk({ "/r/file": "" }), "/r")).toEqual({ ok: true, value: { project: null, user: null } });
});

test("a directory reached through a link is in the repository it leads to", async () => {
  const host = await disk({ "/r/skein.config.json": named("root"), "/r/a/file": "" });
  unwrap(await host.files.makeLink("/r/a", "/shortcut"), "link");
  expect(await load(host, "/shortcut")).toEqual({
    ok: true,
    value: { project: { path: "/r/skein.config.json", config: { check: "root" } }, user: null },
  });
});

test("a repository's file may not be a link, which could name any file; a person's may", async () => {
  const host = await disk({ "/home/me/dotfiles/skein.json": named("own"), "/r/file": "" });
  unwrap(await host.files.makeDirectory("/home/me/.config/skein"), "directory");
  unwrap(await host.files.makeLink("/home/me/dotfiles/skein.json", "/home/me/.config/skein/config.json"), "link");
  const user = { path: "/home/me/.config/skein/config.json", config: { check: "own" } };
  expect(await load(host, "/r")).toEqual({ ok: true, value: { project: null, user } });
  unwrap(await host.files.makeLink("/home/me/dotfiles/skein.json", "/r/skein.config.json"), "link");
  expect(await load(host, "/r")).toEqual({
    ok: false,
    error: { kind: "config", path: "/r/skein.config.json", problems: ["is a symlink, not a file"] },
  });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a directory", { "/r/skein.config.json/file": "" }, "is a directory, not a file"],
  ["too large", { "/r/skein.config.json": " ".repeat(256 * 1024 + 1) }, "is larger than 256 KiB"],
  ["wrong", { "/r/skein.config.json": '{"check": 1}' }, "check: expected string, received number"],
])("a file that is %s ends the command", async (_, tree, problem) => {
  expect(await load(await disk(tree), "/r")).toEqual({
    ok: false,
    error: { kind: "config", path: "/r/skein.config.json", problems: [problem] },
  });
});

test("a file that cannot be read ends the command: its limits would be missing", async () => {
  const host = await disk({ "/r/skein.config.json": "{}" });
  host.disk.failNext({ op: "read", code: "io" });
  const loaded = await load(host, "/r");
  expect(loaded.ok ? null : [loaded.error.path, loaded.error.problems[0]?.slice(0, 14)]).toEqual([
    "/r/skein.config.json",
    "cannot be read",
  ]);
});

test("the person's own file lies where the desktop's convention says", () => {
  expect([
    userConfigPath({ HOME: "/home/me", XDG_CONFIG_HOME: "/etc/me" }),
    userConfigPath({ HOME: "/home/me", XDG_CONFIG_HOME: "not/absolute" }),
    userConfigPath({ HOME: "/home/me", XDG_CONFIG_HOME: "" }),
    userConfigPath({}),
  ]).toEqual([
    "/etc/me/skein/config.json",
    "/home/me/.config/skein/config.json",
    "/home/me/.config/skein/config.json",
    null,
  ]);
});
