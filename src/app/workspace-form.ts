// How a worker host makes its agents' workspaces on this machine: each way is tried, on the disk where they will lie, and not assumed.

import { join } from "node:path";
import { cleanLine } from "../base/text.ts";
import type { Host } from "../host/host.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

export type WorkspaceForm =
  | {
      readonly kind: "overlay";
      /** Before the host's program: namespaces of its own, in which it can mount. */
      readonly enter: readonly [string, ...string[]];
      /** Before a command of an agent: the user that this process runs as. Empty where that is nobody else. */
      readonly demote: readonly string[];
    }
  | { readonly kind: "copy"; readonly reason: string };

const probeMsMax = 5_000;
const saidBytesMax = 4_096;

/** A new file, a removed one and a replaced directory must show in the upper layer as they do in the union. */
const probe = `
cd "$1" && mkdir -p low/d upper work at && : > low/gone && : > low/d/old &&
mount -t overlay overlay -o lowerdir=low,upperdir=upper,workdir=work,userxattr at &&
: > at/new && rm at/gone && rm -r at/d && mkdir at/d &&
test -f upper/new && test -c upper/gone && test ! -e at/d/old && shift && "$@" test -w upper/new`;

/** `directory` is there, and gets an empty one of its own meanwhile. */
export async function workspaceForm(
  { host, env, platform }: Surroundings,
  { directory, wish }: { readonly directory: string; readonly wish: "auto" | "copy" },
): Promise<WorkspaceForm> {
  if (wish === "copy") return { kind: "copy", reason: 'the settings say "workspaces": "copy"' };
  if (platform !== "linux") return { kind: "copy", reason: "overlays are there on Linux only" };
  const environment = shellEnvironment(env);
  const user = await ask(host, ["sh", "-c", "id -u; id -g"], directory, environment);
  const [uid = "", gid = ""] = user.said.split("\n");
  if (!user.done || !/^\d+$/.test(uid) || !/^\d+$/.test(gid))
    return { kind: "copy", reason: "id does not say who we are" };
  const forms = uid === "0" ? [asRoot, asUser(uid, gid)] : [asUser(uid, gid)];
  let reason = "";
  for (const form of forms) {
    const place = join(directory, `probe-${host.random.letters(8)}`);
    const made = await host.files.claimDirectory(place, { private: true });
    if (!made.ok) return { kind: "copy", reason: made.error.message };
    const argv = [
      ...form.enter,
      "sh",
      "-c",
      probe,
      "sh",
      place,
      ...(form.demote.length > 0 ? form.demote : ["env"]),
    ] as const;
    const tried = await ask(host, argv, directory, environment);
    await host.files.remove(place);
    if (tried.done) return form;
    reason = cleanLine(tried.said.trim(), 300);
  }
  return { kind: "copy", reason: `this system lets us mount no overlay here: ${reason}` };
}

const asRoot: Extract<WorkspaceForm, { kind: "overlay" }> = {
  kind: "overlay",
  // What is mounted later elsewhere is seen; what we mount is not seen elsewhere.
  enter: ["unshare", "--mount", "--propagation", "slave", "--"],
  demote: [],
};

/** Root of a user namespace in which only this user is known, and out of it again for commands. */
function asUser(uid: string, gid: string): Extract<WorkspaceForm, { kind: "overlay" }> {
  return {
    kind: "overlay",
    enter: ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "slave", "--"],
    demote: uid === "0" ? [] : ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"],
  };
}

interface Said {
  readonly done: boolean;
  readonly said: string;
}

async function ask(
  { processes, clock }: Host,
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Said> {
  const spawned = await processes.spawn({ argv, cwd, env });
  if (!spawned.ok) return { done: false, said: spawned.error.message };
  const { value: child } = spawned;
  child.endInput();
  const late = clock.after(probeMsMax, () => child.kill("SIGKILL"));
  const [out, errors, exit] = await Promise.all([startOf(child.stdout), startOf(child.stderr), child.exit]);
  late.cancel();
  const done = exit.kind === "code" && exit.code === 0;
  return { done, said: done ? out : errors };
}

async function startOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < saidBytesMax) text += Buffer.from(chunk).toString("utf8");
  }
  return text;
}
