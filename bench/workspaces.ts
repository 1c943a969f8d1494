// `npm run bench:workspaces [-- --quick] [--json] [--count <n>] [--others <n>] [--dir <directory>]`: workspaces of a repository of 5,000 files, each way that
// this machine has, beside `git worktree` and plain copies: time, bytes and the time to find what was changed.

import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { load, machineLine, median } from "./vcs/machine.ts";
import type { RunResult, RunWish } from "./workspaces/run.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    count: { type: "string" },
    others: { type: "string" },
    dir: { type: "string", default: tmpdir() },
  },
});
const count = Number(values.count ?? (values.quick ? 16 : 256));
/** Of what takes long, and is as long each time. */
const others = Number(values.others ?? count);
const files = values.quick ? 1_000 : 5_000;
const program = fileURLToPath(new URL("./workspaces/run.ts", import.meta.url));
const loadBefore = load();
const directory = mkdtempSync(join(values.dir, "skein-bench-"));
chmodSync(directory, 0o755);
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const inOwnMounts = ["unshare", "--mount", "--propagation", "private", "--"];
const asUser = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private", "--"];
const [uid, gid] = isRoot ? [nobody, nobody] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
const demote = ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
const becomeNobody = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];

interface Way {
  readonly name: string;
  readonly wish: Pick<RunWish, "way" | "demote">;
  /** Before the program. */
  readonly as: readonly string[];
  /** A file system of its own, from an image that is mounted for this process alone; null: the disk's. */
  readonly mkfs: readonly string[] | null;
}

const overlay = { way: "overlay", demote: [] } as const;
const plain = (name: string, way: RunWish["way"]): Way => ({ name, wish: { way, demote: [] }, as: [], mkfs: null });
const onImage = (name: string, way: RunWish["way"], mkfs: readonly string[]): Way => ({ ...plain(name, way), mkfs });
const ways: readonly Way[] = [
  ...(isRoot ? [{ name: "overlay, as root", wish: overlay, as: inOwnMounts, mkfs: null }] : []),
  { name: "overlay, as a plain user", wish: { way: "overlay", demote }, as: [...becomeNobody, ...asUser], mkfs: null },
  plain("our copy", "workspace"),
  onImage("our copy on btrfs, which shares blocks", "workspace", ["mkfs.btrfs", "-q"]),
  onImage("our copy on xfs, which shares blocks", "workspace", ["mkfs.xfs", "-q", "-m", "reflink=1"]),
  plain("git worktree", "worktree"),
  plain("copy of the directory", "copy"),
];

const imageBytes = 16 * 1024 ** 3;
const rows = ways.map((way) => {
  console.error(`… ${way.name}`);
  return { name: way.name, ...measured(way) };
});
const conditions = { machine: machineLine(), loadBefore, files, count, others };
if (values.json) console.log(JSON.stringify({ ...conditions, rows }));
else print();

function measured(way: Way): { readonly result: RunResult } | { readonly why: string } {
  const place = mkdtempSync(join(directory, "way-"));
  try {
    if (way.mkfs === null) return run(way, place, []);
    if (!isRoot) return { why: "only root can mount an image" };
    const image = join(directory, "image");
    const handle = openSync(image, "w");
    ftruncateSync(handle, imageBytes);
    closeSync(handle);
    const [mkfs = "", ...args] = way.mkfs;
    const formatted = spawnSync(mkfs, [...args, image], { encoding: "utf8" });
    if (formatted.error !== undefined) return { why: `${mkfs} is not here` };
    if (formatted.status !== 0) return { why: formatted.stderr.trim().slice(0, 200) };
    const mount = ["sh", "-c", 'mount -o loop "$1" "$2" && shift 2 && "$@"', "sh", image, place];
    return run(way, place, [...inOwnMounts, ...mount]);
  } finally {
    rmSync(place, { recursive: true, force: true });
    rmSync(join(directory, "image"), { force: true });
  }
}

function run(
  way: Way,
  place: string,
  around: readonly string[],
): { readonly result: RunResult } | { readonly why: string } {
  const inside = join(place, "in");
  if (way.mkfs === null) mkdirSync(inside);
  if (way.as.includes("setpriv")) {
    chmodSync(place, 0o755);
    chownSync(inside, nobody, nobody);
  }
  const wish: RunWish = {
    ...way.wish,
    directory: way.mkfs === null ? inside : place,
    files,
    count: way.wish.way === "overlay" ? count : others,
    ownFileSystem: way.mkfs !== null,
  };
  const [first = "", ...rest] = [...around, ...way.as, process.execPath, program, JSON.stringify(wish)];
  const ran = spawnSync(first, rest, { encoding: "utf8", maxBuffer: 2 ** 26 });
  if (ran.status === 0) return { result: JSON.parse(ran.stdout) as RunResult };
  return { why: (ran.error?.message ?? ran.stderr).trim().split("\n").slice(-3).join(" ").slice(0, 300) };
}

function print(): void {
  console.log(
    `${conditions.machine}; load before ${loadBefore.toFixed(2)}; ${count} overlays, ${others} of the others, of ${files} files of 4 KiB\n`,
  );
  const cells = [["way", "first", "each", "p99", "bytes each", "scan"]];
  for (const row of rows) {
    if ("why" in row) {
      cells.push([row.name, `not measured: ${row.why}`]);
      continue;
    }
    const { firstMs, eachMs, bytesEach, scanMs } = row.result;
    const p99 = [...eachMs].sort((a, b) => a - b)[Math.floor(eachMs.length * 0.99)] ?? 0;
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    const bytes =
      bytesEach >= 2 ** 20 ? `${(bytesEach / 2 ** 20).toFixed(1)} MiB` : `${(bytesEach / 1024).toFixed(0)} KiB`;
    cells.push([row.name, ms(firstMs), ms(median(eachMs)), ms(p99), bytes, ms(median(scanMs))]);
  }
  const widths =
    cells[0]?.map((_, column) =>
      Math.max(...cells.filter((row) => row.length > 2).map((row) => row[column]?.length ?? 0)),
    ) ?? [];
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
