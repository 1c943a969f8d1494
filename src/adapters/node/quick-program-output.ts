// The ProgramOutput port for a hook on the parts that `node:child_process` is made of: the program runs while the hook goes on with its own work,
// and the thirty modules that it would load for that are not needed. Invariant: only for a Node that has been proven to have them in this form
// (`quick-proof.ts`), since a wrong call of these ends the process.

import type { ProgramOutput } from "../../host/program-output.ts";

interface Child {
  onexit: (code: number, signal: string) => void;
  spawn(...call: SpawnCall): number;
  kill(signal: number): number;
  close(): void;
}

/** Program, arguments with its own name first, directory, environment, descriptors, flags, user, group. */
type SpawnCall = [
  string,
  readonly string[],
  string,
  readonly string[],
  readonly unknown[],
  number,
  undefined,
  undefined,
];

interface Channel {
  /** Without bytes it has ended. */
  onread: (bytes?: ArrayBuffer) => void;
  readStart(): number;
  close(): void;
}

interface Parts {
  readonly child: new () => Child;
  readonly channel: new (kind: number) => Channel;
  readonly socket: number;
}

const SIGKILL = 9;
/** Its output, the output's end and its own end may be heard of one after the other. */
const lastLooks = 4;

/** Null where the program cannot be run in this way. */
export const quickProgramOutput: ProgramOutput = ({ argv: [program, ...args], cwd, env, msMax, bytesMax }) =>
  new Promise((resolve) => {
    const parts = partsOf();
    if (parts === null) return resolve(null);
    const [child, channel] = [new parts.child(), new parts.channel(parts.socket)];
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let code: number | null = null;
    let hasEnded = false;
    let patience: NodeJS.Timeout | null = null;
    const settle = (output: Uint8Array | null): void => {
      if (patience !== null) clearTimeout(patience);
      resolve(output);
    };
    const giveUp = (): void => {
      if (code === null) child.kill(SIGKILL);
      settle(null);
    };
    const settleIfDone = (): void => {
      if (code !== null && hasEnded) settle(code === 0 && bytes <= bytesMax ? Buffer.concat(chunks) : null);
    };
    channel.onread = (read) => {
      if (read === undefined) {
        hasEnded = true;
        channel.close();
        return settleIfDone();
      }
      bytes += read.byteLength;
      if (bytes > bytesMax) giveUp();
      else chunks.push(new Uint8Array(read));
    };
    child.onexit = (status, signal) => {
      // Killed, it has no status of its own.
      code = signal === "" ? status : -1;
      child.close();
      settleIfDone();
    };
    const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const stdio = [{ type: "ignore" }, { type: "pipe", handle: channel }, { type: "ignore" }];
    if (child.spawn(program, [program, ...args], cwd, pairs, stdio, 0, undefined, undefined) !== 0) {
      child.close();
      channel.close();
      return settle(null);
    }
    channel.readStart();
    // What is there by now is heard of first: our own work may have taken longer than the program.
    const lookAgain = (looks: number): void => {
      if (code !== null && hasEnded) return;
      if (looks === 0) giveUp();
      else setImmediate(() => lookAgain(looks - 1));
    };
    patience = setTimeout(() => lookAgain(lastLooks), msMax);
  });

function partsOf(): Parts | null {
  try {
    const child = part("process_wrap", "Process");
    const channel = part("pipe_wrap", "Pipe");
    const socket: unknown = Reflect.get(Object(part("pipe_wrap", "constants")), "SOCKET");
    return typeof socket === "number" && isClass<Child>(child) && isClass<Channel>(channel)
      ? { child, channel, socket }
      : null;
  } catch {
    return null;
  }
}

function part(binding: string, name: string): unknown {
  const load: unknown = Reflect.get(process, "binding");
  return typeof load === "function" ? Reflect.get(Object(load.call(process, binding)), name) : undefined;
}

function isClass<T>(value: unknown): value is new (...call: readonly unknown[]) => T {
  return typeof value === "function";
}
