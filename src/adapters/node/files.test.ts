// What only a real file system shows: pipes, hard links, forbidden directories, files whose size says 0; checked with Node's own calls.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { codeOf } from "../../testing/contract/file-code.ts";
import { nodeFiles } from "./files.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skein-files-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.skipIf(!existsSync("/proc/self"))(
  "a directory that the system will not make is an error, not an endless loop",
  async () => {
    expect(await codeOf(nodeFiles.makeDirectory("/proc/no/such/place"))).toBe("not-found");
  },
);

test("a named pipe and a device are refused at once by every operation on content", async () => {
  const pipe = join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  writeFileSync(join(directory, "file"), "x");
  expect([
    await codeOf(nodeFiles.read(pipe, 10)),
    await codeOf(nodeFiles.write(pipe, Uint8Array.of(1))),
    await codeOf(nodeFiles.open(pipe, "read")),
    await codeOf(nodeFiles.open(pipe, "append")),
    await codeOf(nodeFiles.copy(pipe, join(directory, "copy"))),
    await codeOf(nodeFiles.read("/dev/zero", 10)),
    unwrap(await nodeFiles.stat(pipe), "stat").kind,
    await codeOf(nodeFiles.copy(join(directory, "file"), pipe)),
    readFileSync(pipe, "utf8"),
  ]).toEqual(["other", "other", "other", "other", "other", "other", "other", "ok", "x"]);
});

test("copy does not write through a hard link at its target", async () => {
  const [from, to, twin] = ["from", "to", "twin"].map((name) => join(directory, name)) as [string, string, string];
  writeFileSync(from, "new");
  writeFileSync(to, "old");
  linkSync(to, twin);
  unwrap(await nodeFiles.copy(from, to), "copy");
  expect([readFileSync(to, "utf8"), readFileSync(twin, "utf8")]).toEqual(["new", "old"]);
});

test("a copy keeps the source's rights; one that is to be executable or not has the usual ones", async () => {
  const from = join(directory, "from");
  writeFileSync(from, "x");
  chmodSync(from, 0o600);
  const made = join(directory, "made");
  writeFileSync(made, "x");
  const usual = statSync(made).mode & 0o777;
  const modeOf = async (name: string, options?: { readonly executable: boolean }) => {
    unwrap(await nodeFiles.copy(from, join(directory, name), options), "copy");
    return statSync(join(directory, name)).mode & 0o777;
  };
  expect([
    await modeOf("same"),
    await modeOf("plain", { executable: false }),
    await modeOf("runs", { executable: true }),
  ]).toEqual([0o600, usual, usual | ((usual & 0o444) >> 2)]);
});

test("a file under /proc, whose size says 0, is read whole and limited", async () => {
  const whole = unwrap(await nodeFiles.read("/proc/self/mountinfo", 10_000_000), "read");
  expect([
    Buffer.from(whole).equals(readFileSync("/proc/self/mountinfo")),
    await codeOf(nodeFiles.read("/proc/self/mountinfo", 10)),
  ]).toEqual([true, "too-large"]);
});

test("the file system's own numbers are reported: ctime to less than a microsecond, the owner's execute bit", async () => {
  const path = join(directory, "file");
  writeFileSync(path, "12345");
  chmodSync(path, 0o611);
  const others = unwrap(await nodeFiles.stat(path), "stat");
  chmodSync(path, 0o700);
  const stats = statSync(path, { bigint: true });
  const { changedMs, ...own } = unwrap(await nodeFiles.stat(path), "stat");
  expect([others.executable, own]).toEqual([false, { kind: "file", size: 5, executable: true }]);
  expect(Math.abs(changedMs - Number(stats.ctimeNs) / 1e6)).toBeLessThan(0.001);
});

test("setExecutable gives the execute bit to who may read, and nothing else", async () => {
  const path = join(directory, "file");
  writeFileSync(path, "");
  chmodSync(path, 0o640);
  unwrap(await nodeFiles.setExecutable(path, true), "set");
  const set = statSync(path).mode & 0o777;
  unwrap(await nodeFiles.setExecutable(path, false), "clear");
  expect([set.toString(8), (statSync(path).mode & 0o777).toString(8)]).toEqual(["750", "640"]);
});

test("a path with a NUL is an error, not an exception", async () => {
  expect([
    await codeOf(nodeFiles.read("/tmp/a\0b", 10)),
    await codeOf(nodeFiles.write("/tmp/a\0b", new Uint8Array())),
  ]).toEqual(["other", "other"]);
});

test.runIf(process.getuid?.() === 0)("a tree with forbidden directories is removed by its plain owner", () => {
  const nobody = 65534;
  mkdirSync(join(directory, "tree/a/b"), { recursive: true });
  writeFileSync(join(directory, "tree/a/b/file"), "x");
  execFileSync("chown", ["-R", String(nobody), directory]);
  chmodSync(join(directory, "tree/a/b"), 0o000);
  chmodSync(join(directory, "tree/a"), 0o500);
  const program = `
    const { nodeFiles } = await import(${JSON.stringify(new URL("./files.ts", import.meta.url).href)});
    process.setgroups([]);
    process.setgid(${nobody});
    process.setuid(${nobody});
    console.log(JSON.stringify(await nodeFiles.remove(${JSON.stringify(join(directory, "tree"))})));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect([JSON.parse(output), existsSync(join(directory, "tree"))]).toEqual([{ ok: true }, false]);
});

test("a full disk is no-space, and what did not fit is not reported as written", async () => {
  // /dev/full exists for this, but is a device and so refused; a tiny tmpfs needs root and a mount.
  const mounted = mountSmall();
  if (mounted === null) return;
  try {
    const path = join(mounted, "file");
    const handle = unwrap(await nodeFiles.open(path, "append"), "open");
    const appended = await handle.append([new Uint8Array(40_000), new Uint8Array(400_000)]);
    unwrap(await handle.close(), "close");
    const written = await nodeFiles.write(join(mounted, "other"), new Uint8Array(400_000));
    expect([appended, written].map((result) => (result.ok ? "ok" : result.error.code))).toEqual([
      "no-space",
      "no-space",
    ]);
  } finally {
    execFileSync("umount", [mounted]);
  }
});

function mountSmall(): string | null {
  const path = join(directory, "small");
  mkdirSync(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", path], { stdio: "ignore" });
    return path;
  } catch {
    return null;
  }
}

test("what is made private is the owner's alone, parents included; what is there keeps its rights until it is made private", async () => {
  const mode = (name: string) => (statSync(join(directory, name)).mode & 0o777).toString(8);
  const at = (name: string) => join(directory, name);
  const made = { private: true };
  mkdirSync(at("open"), { mode: 0o755 });
  chmodSync(at("open"), 0o755);
  writeFileSync(at("open/file"), "x", { mode: 0o644 });
  chmodSync(at("open/file"), 0o754);
  unwrap(await nodeFiles.makeDirectory(at("open/a/b"), made), "make");
  unwrap(await nodeFiles.claimDirectory(at("claimed"), made), "claim");
  unwrap(await nodeFiles.write(at("written"), Uint8Array.of(1), made), "write");
  unwrap(await nodeFiles.write(at("open/file"), Uint8Array.of(1), made), "write over");
  for (const how of ["append", "create"] as const) await unwrap(await nodeFiles.open(at(how), how, made), how).close();
  const before = ["open", "open/a", "open/a/b", "claimed", "written", "open/file", "append", "create"].map(mode);
  unwrap(await nodeFiles.makePrivate(at("open")), "directory");
  unwrap(await nodeFiles.makePrivate(at("open/file")), "file");
  expect([before, mode("open"), mode("open/file")]).toEqual([
    ["755", "700", "700", "700", "600", "754", "600", "600"],
    "700",
    "700",
  ]);
});
