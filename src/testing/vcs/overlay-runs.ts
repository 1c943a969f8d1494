// Overlays in namespaces of their own, for tests: a program is started there as a worker host is, killed, and followed by another. What is
// right comes from git and from `find`.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { temporaryDirectory } from "../git/real-repository.ts";

const program = fileURLToPath(new URL("./overlay-host.ts", import.meta.url));
const nobody = 65_534;

export interface Who {
  readonly name: string;
  readonly uid: number | null;
  /** Before the program, outside any namespace. */
  readonly as: readonly string[];
  readonly enter: readonly string[];
  readonly demote: readonly string[];
}

export const isRoot = process.getuid?.() === 0;
const own = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "slave", "--"];
const asUser = (uid: number, gid: number) => ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
export const root: Who = {
  name: "root",
  uid: null,
  as: [],
  enter: ["unshare", "--mount", "--propagation", "slave", "--"],
  demote: [],
};
export const plain: Who = isRoot
  ? {
      name: "a plain user",
      uid: nobody,
      as: ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"],
      enter: own,
      demote: asUser(nobody, nobody),
    }
  : {
      name: "a plain user",
      uid: null,
      as: [],
      enter: own,
      demote: asUser(process.getuid?.() ?? 0, process.getgid?.() ?? 0),
    };

export const canMount = ({ as, enter }: Who): boolean => {
  const [first = "", ...rest] = [...as, ...enter, "sh", "-c", mountSomething];
  return process.platform === "linux" && spawnSync(first, rest, { cwd: "/dev/shm" }).status === 0;
};
const mountSomething =
  "d=$(mktemp -d) && mkdir $d/l $d/u $d/w $d/a && mount -t overlay overlay -o lowerdir=$d/l,upperdir=$d/u,workdir=$d/w,userxattr $d/a && umount $d/a && rm -rf $d";

export const overlayTestName =
  "S6 S20 every change of a shell is seen, survives its host, and is whole for everybody afterwards";

/** Every step of a workspace's life: work, a killed host, another one, and a person who looks. */
export function expectOverlays(who: Who): void {
  using place = temporaryDirectory("skein-overlay-");
  if (who.uid !== null) chownSync(place.path, who.uid, who.uid);
  chmodSync(place.path, 0o755);
  const run = (phase: string, enter: readonly string[]) => {
    const node = [process.execPath, program, place.path, phase, ...who.demote];
    const [first = "", ...rest] = [...who.as, ...enter, ...node];
    const { stdout, stderr, signal } = spawnSync(first, rest, { encoding: "utf8", cwd: place.path });
    if (stdout === "" && phase !== "settle") throw new Error(stderr);
    return { seen: JSON.parse(stdout || "{}"), signal };
  };

  const { seen: work, signal } = run("work", who.enter);
  expect({ signal, notes: work.notes }).toEqual({ signal: "SIGKILL", notes: [] });
  for (const clean of work.clean) {
    expect(clean).toEqual({ changes: [], skipped: [], ours: clean.gits, gits: clean.gits, status: 0 });
  }
  expect(work.edited.ours).toBe(work.edited.gits);
  expect(work.edited.changes).toEqual(expectedChanges());

  // Outside of its namespaces, and after its host, only what was changed lies in the directory.
  const kept = `${place.path}/workspaces/w1`;
  expect(readdirSync(`${kept}/at`)).toEqual([]);
  expect(readFileSync(`${kept}/upper/tree/new/deep/file`, "utf8")).toBe("n\n");

  const { seen: resumed } = run("resume", who.enter);
  expect(resumed.notes).toEqual([]);
  expect(resumed.found).toEqual(work.edited);
  expect(resumed.all).toBe(work.all);
  // Its own edits stay, what it left alone is theirs.
  expect(resumed.synced).toEqual({ updated: ["d9/f9", "run.sh", "d8/new"], overlaps: ["d1/f0"] });
  expect(resumed.another).toEqual({ ...resumed.another, changes: [], ours: resumed.another.gits, status: 0 });
  // The layers of the host before were used again.
  expect(readdirSync(`${place.path}/workspaces`).sort()).toEqual(
    ["git-bases", "layer-1", "layer-2", "w1", "w2", "w3", "w4"].sort(),
  );

  run("settle", []);
  const after = execFileSync(
    "sh",
    [
      "-c",
      "find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort; find . -path ./.git -prune -o -type f -exec sha1sum {} + | sort",
    ],
    { cwd: `${kept}/at/tree`, env: { PATH: process.env.PATH ?? "" }, encoding: "utf8" },
  );
  expect(after).toBe(resumed.afterSync);
  expect(existsSync(`${kept}/upper`)).toBe(false);
}

/** By hand, from the script of edits. */
function expectedChanges(): readonly string[] {
  const twelve = [...Array(12).keys()];
  return [
    "put d1/f0",
    "delete d1/f2",
    ...twelve.map((index) => `delete d2/f${index}`),
    "put d2/fresh",
    ...twelve.map((index) => `delete d3/f${index}`),
    ...twelve.flatMap((index) => [`delete d4/f${index}`, `put moved4/f${index}`]),
    "put d5/f0",
    "put d5/link",
    "put d7/f1",
    ...twelve.map((index) => `delete d10/f${index}`),
    "put new/deep/file",
    "delete to-directory",
    "put to-directory/in",
    "put to-file",
    "delete to-file/in",
    "put link",
  ].sort((a, b) => (a.slice(a.indexOf(" ")) < b.slice(b.indexOf(" ")) ? -1 : 1));
}
