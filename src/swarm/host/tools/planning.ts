// The planner's own tools: decide a question, delegate tasks.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../../../agent/tool.ts";
import type { Position } from "../../../base/ids.ts";
import type { Lease } from "../../../protocol/messages.ts";
import type { CoordinatorClient } from "../client.ts";
import type { KeyMaker } from "../keys.ts";

export interface PlanningEnvironment {
  readonly client: CoordinatorClient;
  readonly lease: Lease;
  readonly snapshot: Position;
  readonly nextKey: KeyMaker;
}

export function decideTool({ client, lease, nextKey }: PlanningEnvironment): Tool {
  return defineTool({
    name: "decide",
    description:
      "Records a design decision and lands its page under design/. Use it for questions that several tasks depend on, before you delegate them. A question that is already decided is refused with the decision that owns it.",
    input: z.object({
      question: z.string().min(1).max(200).describe("One question, on one line"),
      answer: z.string().min(1).max(8_000).describe("What holds from now on, precise enough to work by"),
      rationale: z.string().max(8_000).default("").describe("Why, and what was not chosen"),
    }),
    effect: "exclusive",
    async run({ question, answer, rationale }): Promise<ToolAnswer> {
      const made = await client.ask({ kind: "decide", lease, key: nextKey(), question, answer, rationale });
      if (made.kind === "refused") return { kind: "error", text: made.reason };
      return {
        kind: "text",
        text: `decision ${made.decision} is recorded in ${made.path}; name it in the tasks that need it`,
      };
    },
  });
}

const delegation = z.object({
  key: z.string().describe("Short name, unique among your tasks: a-z 0-9 . _ -"),
  title: z.string().min(1).max(200),
  instructions: z.string().min(1).max(20_000).describe("All its agent must know; it sees nothing of your conversation"),
  kind: z.enum(["worker", "planner"]).default("worker").describe("planner: an area large enough to be split again"),
  scope: z
    .array(z.string().min(1).max(500))
    .max(50)
    .default([])
    .describe("Globs of the files it may change, inside your own area if you have one; empty: any of them"),
  check: z.string().min(1).max(2_000).optional().describe("Shell command that exits 0 when the task is done"),
  after: z.array(z.string()).max(100).default([]).describe("Keys of your earlier tasks that must be done first"),
  base: z
    .enum(["head", "snapshot"])
    .default("head")
    .describe("Start from the newest state (head) or from the snapshot you read"),
  decisions: z.array(z.string()).max(100).default([]).describe("Ids of decisions its agent must know"),
});

export function delegateTool({ client, lease, snapshot }: PlanningEnvironment): Tool {
  return defineTool({
    name: "delegate",
    description:
      "Hands tasks to other agents. They start as soon as their predecessors are done; you are woken with the results after you end your turn. The list is accepted or refused as a whole. Not for questions: decide those yourself first.",
    input: z.object({ tasks: z.array(delegation).min(1).max(1_000) }),
    effect: "exclusive",
    async run({ tasks }): Promise<ToolAnswer> {
      const answer = await client.ask({
        kind: "delegate",
        lease,
        snapshot,
        tasks: tasks.map((task) => ({ ...task, check: task.check ?? null })),
      });
      if (answer.kind === "refused") return { kind: "error", text: `nothing was delegated: ${answer.reason}` };
      const names = answer.tasks.map(({ id, key }) => `${key} is ${id}`).join(", ");
      return { kind: "text", text: `delegated: ${names}. End your turn without a call to wait for the results.` };
    },
  });
}
