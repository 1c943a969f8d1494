// What this machine offers and lacks, each item tried and not assumed.

import { join } from "node:path";
import { loneCall } from "../agent/tool.ts";
import { asAgentId, asCallId } from "../base/ids.ts";
import { bashTool } from "../tools/bash.ts";
import { hookFindings } from "./hooks/findings.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { openSandbox } from "./sandbox.ts";
import { stateDirectory } from "./state-directory.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";
import { workspaceForm } from "./workspace-form.ts";

export interface Finding {
  readonly name: string;
  /** `missing` is needed for skein to work, `absent` only for what the detail says. */
  readonly state: "ok" | "missing" | "absent";
  readonly detail: string;
  readonly remedy: string | null;
}

export async function examine(surroundings: Surroundings, nodeVersion: string): Promise<readonly Finding[]> {
  return [
    nodeFinding(nodeVersion),
    await program(surroundings, { name: "git", command: "git --version", needed: true, remedy: "install git" }),
    await program(surroundings, {
      name: "bash",
      command: "bash --version",
      needed: true,
      remedy: "install bash",
    }),
    await program(surroundings, {
      name: "ripgrep",
      command: `${quote(await ripgrepPath())} --version`,
      needed: true,
      remedy: "reinstall skein: ripgrep is part of its packages",
    }),
    await stateFinding(surroundings),
    await socketFinding(surroundings),
    await workspacesFinding(surroundings),
    await sandboxFinding(surroundings),
    ...(await hookFindings(surroundings)),
  ];
}

/** A command is really run inside, and tries to write where it may not. */
async function sandboxFinding(surroundings: Surroundings): Promise<Finding> {
  const name = "sandbox";
  const settings = { mode: { value: "auto", origin: { kind: "default" } }, network: false, writable: [] } as const;
  const opened = await openSandbox(surroundings, settings, surroundings.cwd);
  if (opened.kind !== "held") {
    const why = opened.kind === "none" ? opened.reason : "";
    const remedy = opened.kind === "none" ? opened.remedy : null;
    return {
      name,
      state: "absent",
      detail: `agents' shell commands have your rights, and you are asked first: ${why}`,
      remedy,
    };
  }
  const { files, random, clock } = surroundings.host;
  const place = join(surroundings.temporaryDirectory, `skein-doctor-${random.letters(8)}`);
  const root = join(place, "tree");
  const made = await files.makeDirectory(root, { private: true });
  const real = made.ok ? await files.realPath(root) : made;
  if (!real.ok) return { name, state: "absent", detail: `it cannot be tried: ${real.error.message}`, remedy: null };
  const box = { root: real.value, writable: true, guarded: [], temporary: join(place, "tmp"), shown: [] };
  const bash = bashTool({
    files,
    processes: surroundings.host.processes,
    commands: opened.sandbox.processesIn(box),
    clock,
    root: real.value,
    rgPath: "",
    environment: { ...shellEnvironment(surroundings.env), ...opened.sandbox.environment },
    spillDirectory: place,
  });
  const call = loneCall({ agent: asAgentId("doctor"), callId: asCallId(name), signal: new AbortController().signal });
  const answer = await bash.run(
    // The second may seem to go well, in a temporary directory of the sandbox's own: what counts is what is there afterwards.
    { command: "echo in > inside; (echo out > ../outside) 2>/dev/null; true", timeout_ms: 10_000 },
    call,
  );
  const [inside, outside] = [await files.stat(join(root, "inside")), await files.stat(join(place, "outside"))];
  await files.remove(place);
  if (answer.kind === "text" && inside.ok && !outside.ok)
    return {
      name,
      state: "ok",
      detail: `${opened.sandbox.name}: commands write in their tree only and have no network`,
      remedy: null,
    };
  return {
    name,
    state: "absent",
    detail: `${opened.sandbox.name} does not hold a command here: ${answer.text}`,
    remedy: "use --sandbox off only if you trust the agents",
  };
}

function nodeFinding(version: string): Finding {
  const major = Number(version.replace(/^v/, "").split(".")[0]);
  return major >= 24
    ? { name: "node", state: "ok", detail: version, remedy: null }
    : { name: "node", state: "missing", detail: `${version} is too old`, remedy: "use Node 24 or newer" };
}

interface Program {
  readonly name: string;
  readonly command: string;
  readonly needed: boolean;
  readonly remedy: string | null;
}

async function program(surroundings: Surroundings, { name, command, needed, remedy }: Program): Promise<Finding> {
  const { files, processes, clock } = surroundings.host;
  const { cwd, temporaryDirectory, env } = surroundings;
  const bash = bashTool({
    files,
    processes,
    clock,
    root: cwd,
    rgPath: "",
    environment: shellEnvironment(env),
    spillDirectory: temporaryDirectory,
  });
  const call = loneCall({ agent: asAgentId("doctor"), callId: asCallId(name), signal: new AbortController().signal });
  const answer = await bash.run({ command, timeout_ms: 10_000 }, call);
  const line = answer.text.split("\n")[0] ?? "";
  if (answer.kind === "text") return { name, state: "ok", detail: line, remedy: null };
  return { name, state: needed ? "missing" : "absent", detail: line, remedy };
}

async function stateFinding(surroundings: Surroundings): Promise<Finding> {
  const name = "state directory";
  const state = stateDirectory(surroundings);
  if (!state.ok)
    return { name, state: "missing", detail: state.error.message, remedy: "set SKEIN_STATE_DIR to an absolute path" };
  const { files, locks, random } = surroundings.host;
  const made = await files.makeDirectory(state.value, { private: true });
  const probe = join(state.value, `doctor-${random.letters(8)}.lock`);
  const lock = made.ok ? await locks.acquire(probe) : null;
  if (lock?.ok) await lock.value.release();
  for (const suffix of ["", "-journal"]) await files.remove(`${probe}${suffix}`);
  if (lock?.ok) return { name, state: "ok", detail: state.value, remedy: null };
  const why = made.ok ? (lock?.ok === false ? lock.error.message : "") : made.error.message;
  return {
    name,
    state: "missing",
    detail: `${state.value}: ${why}`,
    remedy: "make it writable, or set SKEIN_STATE_DIR",
  };
}

async function socketFinding(surroundings: Surroundings): Promise<Finding> {
  const name = "unix sockets";
  const path = join(surroundings.temporaryDirectory, `skein-${surroundings.host.random.letters(12)}`);
  const listener = await surroundings.host.net.listen(path, (connection) => connection.close());
  if (!listener.ok)
    return {
      name,
      state: "missing",
      detail: listener.error.message,
      remedy: "set TMPDIR to a short, writable directory",
    };
  await listener.value.close();
  return { name, state: "ok", detail: surroundings.temporaryDirectory, remedy: null };
}

/** Where runs lie, since that disk is what counts. */
async function workspacesFinding(surroundings: Surroundings): Promise<Finding> {
  const name = "workspaces";
  const state = stateDirectory(surroundings);
  const made = state.ok ? await surroundings.host.files.makeDirectory(state.value, { private: true }) : null;
  if (!state.ok || made?.ok !== true)
    return { name, state: "absent", detail: "the state directory cannot be used", remedy: null };
  const form = await workspaceForm(surroundings, { directory: state.value, wish: "auto" });
  const shares = await sharesBlocks(surroundings, state.value);
  const copies = shares ? "copies share their blocks (reflink)" : "copies take their whole size";
  if (form.kind === "copy")
    return { name, state: "absent", detail: `workers get copies: ${form.reason}; ${copies}`, remedy: null };
  const whose = form.demote.length === 0 ? "this user's own mounts" : "a user namespace";
  return { name, state: "ok", detail: `workers get overlays (in ${whose}); elsewhere ${copies}`, remedy: null };
}

async function sharesBlocks(surroundings: Surroundings, directory: string): Promise<boolean> {
  const { files, random } = surroundings.host;
  const place = join(directory, `doctor-${random.letters(8)}`);
  const claimed = await files.claimDirectory(place);
  if (!claimed.ok) return false;
  const written = await files.write(join(place, "from"), Buffer.alloc(4_096, 1));
  const command = `cp --reflink=always ${quote(join(place, "from"))} ${quote(join(place, "to"))}`;
  const tried = written.ok
    ? await program(surroundings, { name: "reflink", command, needed: false, remedy: null })
    : null;
  await files.remove(place);
  return tried?.state === "ok";
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
