// delegate_task: another agent does a part of the work, and its last words are the call's result.

import { z } from "zod";
import type { DelegateRequest } from "../agent/delegation-record.ts";
import type { Family } from "../agent/family.ts";
import { defineTool, type Tool } from "../agent/tool.ts";

const taskCharsMax = 50_000;
const scopePathsMax = 50;
const pathCharsMax = 4_096;

export interface DelegateToolOptions {
  readonly family: Pick<Family, "announce" | "delegate" | "settled">;
  /** Names that `model` may have; the first is the usual one. */
  readonly models: readonly string[];
  /** What a child may be given of the conversation, the usual first; left out, any. */
  readonly contexts?: Contexts | undefined;
}

type Contexts = readonly [DelegateRequest["context"], ...(readonly DelegateRequest["context"][])];

const allContexts: Contexts = ["task-only", "full", "no-tools"];

export function delegateTaskTool({ family, models, contexts = allContexts }: DelegateToolOptions): Tool {
  const [usual] = contexts;
  return defineTool({
    name: "delegate_task",
    description: [
      "Gives a part of the work to a child agent and returns its result. Calls in one answer run at the same time: delegate independent parts together, in one answer.",
      "Use it for parts that are large, independent of one another, and can be described in full: searching a large code base for several things, or changes in separate areas (isolation workspace).",
      "Do not delegate what you can do in a few calls yourself: one file, one question, steps that depend on one another, or a decision that is yours. Each child costs several model requests.",
      "Children of one answer see what they would see one after another: reads wait for children asked for earlier that may change what is read, changes wait for earlier ones that only read. So ask first for those that only read. Children with separate write_scope work side by side; the earlier is not shown what the later is to change. Children with a workspace begin from the same tree.",
      "A child knows only what you tell it (context task-only): name paths, what is decided, what is wanted back. It cannot ask you. Its result may be wrong: check what matters.",
    ].join("\n"),
    input: inputOf(models, contexts),
    effect: "delegate",
    resumable: true,
    claim: async ({ isolation, write_scope: scope = [], background = false }) => ({
      kind: "delegate",
      // What runs in the background has changed nothing when the call is over.
      writes: !background && (isolation === "workspace" || scope.length > 0),
      ...(background ? { background: "adds" as const } : {}),
    }),
    announce: (input, call) => family.announce(requestOf(input, usual), call),
    settled: (call) => family.settled(call),
    run: (input, call) => family.delegate(requestOf(input, usual), call),
  });
}

function requestOf(input: z.infer<ReturnType<typeof inputOf>>, usual: DelegateRequest["context"]): DelegateRequest {
  const { task, context = usual, model, isolation = "shared", write_scope = [], background = false } = input;
  return { task, context, model: model ?? null, isolation, writeScope: write_scope, background };
}

const contextTexts: Readonly<Record<DelegateRequest["context"], string>> = {
  "task-only": "nothing (`task-only`)",
  full: "all of it (`full`)",
  "no-tools": "its texts without calls and their results (`no-tools`)",
};

function contextText([usual, ...others]: Contexts): string {
  const named = [contextTexts[usual].replace(/\)$/, ", the default)"), ...others.map((one) => contextTexts[one])];
  const last = named.pop() ?? "";
  return `What the child gets of this conversation: ${named.length === 0 ? last : `${named.join(", ")}, or ${last}`}.`;
}

function inputOf(models: readonly string[], contexts: Contexts) {
  return z.object({
    task: z
      .string()
      .trim()
      .min(1)
      .max(taskCharsMax)
      .describe(
        "All that the child has to know: what to do, where, what is decided already, and what its result should say.",
      ),
    context: z.enum(contexts).optional().describe(contextText(contexts)),
    model: z
      .string()
      .optional()
      .describe(`Model of the child: ${models.join(", ")}. Default: ${models[0] ?? "the usual one"}.`),
    isolation: z
      .enum(["shared", "workspace"])
      .optional()
      .describe(
        "`shared` (default): the child reads the tree you work in, and changes only what write_scope names; it runs no commands. `workspace`: it has its own copy, may change and run anything there, and its changes are merged back when it is done; where they overlap with others they come back as conflicts.",
      ),
    write_scope: z
      .array(z.string().min(1).max(pathCharsMax))
      .max(scopePathsMax)
      .optional()
      .describe(
        "With isolation shared: files and directories that the child may change, by their real paths (no symlinks). Those of children of one answer or at work together must not overlap.",
      ),
    background: z
      .boolean()
      .optional()
      .describe(
        "Return at once with the child's id; the result comes as a message later, or from wait_task. Default false.",
      ),
  });
}
