// bash: one shell command in its own process group, with a time limit and without input. When the call returns,
// everything the command started is gone, as far as the Processes port reaches.

import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../agent/tool.ts";
import { unreachable } from "../base/assert.ts";
import { cleanText } from "../base/text.ts";
import type { ProcessExit, SpawnError } from "../host/processes.ts";
import { type ChildEnd, runChild } from "./child.ts";
import { answerCharsMax, type ToolEnv } from "./env.ts";
import { Output } from "./output.ts";

const timeoutMsDefault = 120_000;
const timeoutMsMax = 600_000;
const commandCharsMax = 50_000;

const INPUT = z.object({
  command: z.string().min(1).max(commandCharsMax).describe("The command line, as for `bash -c`."),
  timeout_ms: z
    .number()
    .int()
    .min(1)
    .max(timeoutMsMax)
    .optional()
    .describe(`Time limit in milliseconds. Default ${timeoutMsDefault}, maximum ${timeoutMsMax}.`),
});

/** Bash reads ~/.bashrc where its input looks like a network connection, as a pipe of ours may: `--norc`. Both outputs go through one pipe, so that their order is the order in which they were written. */
const ONE_PIPE = 'exec bash --norc -c "$1" 2>&1';

export function bashTool(env: ToolEnv): Tool {
  return defineTool({
    name: "bash",
    description: [
      "Runs a shell command with bash, in the root of the tree, and returns its output (stdout and stderr together) and its exit code.",
      "Use it to build, to test and to run programs. Each call is a new shell: directory and variables do not carry over, and there is no input to type.",
      "Everything the command started is stopped when it ends; to use a server, start it and use it within one command.",
      "Not for reading, finding or editing files: read_file, grep, glob and edit_file do that better.",
      // The same with a sandbox and without: a recording answers on other machines, too.
      "It may run in a sandbox: then it writes in the tree and in /tmp only, has no network unless the person allows it, and sees little of the home directory. What is refused so cannot be had in another way.",
    ].join("\n"),
    input: INPUT,
    effect: "exclusive",
    async run({ command, timeout_ms: timeLimitMs = timeoutMsDefault }, context) {
      const output = new Output(env, `${context.agent} ${context.callId}`);
      const onOutput = async (bytes: Uint8Array) => {
        await output.take(bytes);
        return "more" as const;
      };
      const ended = await runChild(
        { processes: env.commands ?? env.processes, clock: env.clock },
        {
          spec: {
            argv: ["bash", "--norc", "-c", ONE_PIPE, "bash", command],
            cwd: env.root,
            env: env.environment,
            diesWithUs: true,
          },
          timeLimitMs,
          signal: context.signal,
          onStdout: onOutput,
          onStderr: onOutput,
        },
      );
      if (!ended.ok) return startFault("bash", ended.error);
      const { text } = await output.end();
      return answer(text, ended.value, timeLimitMs);
    },
  });
}

/** A program that cannot be started is the machine's fault, and worded so that the model does not try to mend its call. */
export function startFault(what: string, error: SpawnError): ToolAnswer {
  const why =
    error.code === "not-found" ? `the program ${error.program} was not found` : `${error.program}: ${error.message}`;
  return {
    kind: "fault",
    text: `environment fault: ${what} could not be started (${why}). This is not a fault of your call; trying again will not help.`,
  };
}

function answer(output: string, ended: ChildEnd, timeLimitMs: number): ToolAnswer {
  const clean = cleanText(stripVTControlCharacters(output), answerCharsMax);
  const body = clean.trim() === "" ? "(no output)" : clean.replace(/\n$/, "");
  if (ended.kind === "exited") {
    const strays = ended.strays ? "; processes left in the background were stopped" : "";
    const text = `${body}\n[${exitText(ended.exit)}${strays}]`;
    return ended.exit.kind === "code" && ended.exit.code === 0 ? { kind: "text", text } : { kind: "error", text };
  }
  switch (ended.why) {
    case "time-limit":
      return {
        kind: "error",
        text: `${body}\n[stopped: the time limit of ${timeLimitMs} ms was reached before the command ended]`,
      };
    case "cancelled":
      return { kind: "cancelled", text: `${body}\n[aborted: the agent was cancelled before the command ended]` };
    case "enough":
      return { kind: "text", text: body };
    default:
      return unreachable(ended.why);
  }
}

function exitText(exit: ProcessExit): string {
  return exit.kind === "code" ? `exit code ${exit.code}` : `ended by ${exit.signal}`;
}
