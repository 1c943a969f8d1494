// The part of a plugin that calls our launcher: plain JavaScript for whatever runs the client (Node or Bun), with nothing but its standard
// library. Invariant: nothing here throws or rejects, and nobody waits for a hook longer than its time.

import { PROGRAM_MARK } from "./program-form.ts";

export interface HookCallParts {
  readonly command: string;
  readonly timeoutS: number;
}

/** Declares `ask(event, cwd)`, which gives the hook's words for the agent or null, and `within(promise)`, which bounds a wait. */
export function hookCallText({ command, timeoutS }: HookCallParts): string {
  return `${PROGRAM_MARK} and which \`skein uninstall\` removes: tells sessions of each other.
import { spawn } from "node:child_process";

const command = ${JSON.stringify(command)};
const waitMsMax = ${timeoutS * 1000};
const charsMax = 20000;

const within = (promise) =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), waitMsMax);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });

const ask = (event, cwd) =>
  new Promise((resolve) => {
    try {
      if (process.env.SKEIN_HOOKS_OFF === "1") return resolve(null);
      let said = "";
      const hook = spawn("/bin/sh", ["-c", command], { cwd, stdio: ["pipe", "pipe", "ignore"] });
      const timer = setTimeout(() => {
        hook.kill("SIGKILL");
        resolve(null);
      }, waitMsMax);
      const done = () => {
        clearTimeout(timer);
        resolve(wordsIn(said));
      };
      hook.on("error", done);
      hook.on("close", done);
      hook.stdin.on("error", () => {});
      hook.stdout.on("error", () => {});
      hook.stdout.setEncoding("utf8");
      hook.stdout.on("data", (text) => {
        if (said.length < charsMax) said += text;
      });
      hook.stdin.end(JSON.stringify(event));
    } catch {
      resolve(null);
    }
  });

const wordsIn = (said) => {
  try {
    const { context } = JSON.parse(said);
    return typeof context === "string" && context !== "" ? context.slice(0, charsMax) : null;
  } catch {
    return null;
  }
};
`;
}
