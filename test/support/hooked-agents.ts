// Agents as far as hooks can tell: processes that live as long as a session and start the real hook for each of its events. What they are
// is a shell under another name, since hooks look for the first ancestor that is no shell.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Sandbox } from "./sandbox.ts";
import { packageRoot } from "./skein.ts";

export const hookProgram = join(packageRoot, "dist", "hook.cjs");

/** Each line names a payload; the hook runs behind a short-lived shell, as clients start theirs, and beside others. */
const AGENT = `while read -r file; do sh -c '"$0" "$1" "$2" < "$3" > "$3.out"; echo "$3 $?"' "$@" "$file" & done; wait`;

export interface HookEnd {
  readonly exitCode: number;
  readonly stdout: string;
}

export class HookedAgent implements Disposable {
  readonly session: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #waiting = new Map<string, (end: HookEnd) => void>();
  readonly #cwd: string;
  #count = 0;

  constructor(box: Sandbox, options: { readonly session: string; readonly cwd: string; readonly client?: string }) {
    const { session, cwd, client = "claude-code" } = options;
    this.session = session;
    this.#cwd = cwd;
    this.#directory = join(box.temporary, `agent-${session}`);
    mkdirSync(this.#directory);
    const program = join(this.#directory, "fake-agent");
    symlinkSync("/bin/sh", program);
    this.#child = spawn(program, ["-c", AGENT, "agent", process.execPath, hookProgram, client], {
      cwd,
      env: box.env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.pid = this.#child.pid ?? -1;
    this.#child.stdin?.on("error", () => undefined);
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#ended(line));
  }

  /** One event; `stdout` is what the hook printed. */
  fire(event: string, fields: Readonly<Record<string, unknown>> = {}): Promise<HookEnd> {
    const payload = {
      session_id: this.session,
      cwd: this.#cwd,
      hook_event_name: event,
      transcript_path: "/t.jsonl",
      ...fields,
    };
    return this.send(JSON.stringify(payload));
  }

  edit(path: string): Promise<HookEnd> {
    return this.fire("PostToolUse", {
      tool_name: "Write",
      tool_input: { file_path: path },
      tool_use_id: `u${this.#count}`,
    });
  }

  /** Any bytes on the hook's standard input. */
  send(input: string): Promise<HookEnd> {
    const file = join(this.#directory, `${this.#count++}.json`);
    writeFileSync(file, input);
    return new Promise((resolve) => {
      this.#waiting.set(file, resolve);
      this.#child.stdin?.write(`${file}\n`);
    });
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }

  #ended(line: string): void {
    const [file = "", code] = line.split(" ");
    this.#waiting.get(file)?.({ exitCode: Number(code), stdout: readFileSync(`${file}.out`, "utf8") });
    this.#waiting.delete(file);
  }
}

/** Lines of every session's file in a state directory, by its session's directory. */
export function recordedLines(state: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const path of readdirSync(join(state, "presence"), { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith("events.jsonl")) continue;
    const text = readFileSync(join(state, "presence", path), "utf8");
    found.set(path.split("/").at(-2) ?? "", text.split("\n").slice(0, -1));
  }
  return found;
}
