// A call that failed because its lease has ended, or because the coordinator has gone, has not failed in its agent's eyes: its result
// is `cancelled`, and the call is made again if the conversation goes on under another lease.

import type { Tool, ToolAnswer, ToolContext } from "../../../agent/tool.ts";
import type { Lease } from "../../../protocol/messages.ts";
import { AskFailed, type CoordinatorClient, CoordinatorLost } from "../client.ts";

export function standingTools(client: CoordinatorClient, lease: Lease, tools: readonly Tool[]): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    run: (input, context) => runStanding({ client, lease, tool }, input, context),
  }));
}

interface Standing {
  readonly client: CoordinatorClient;
  readonly lease: Lease;
  readonly tool: Tool;
}

async function runStanding(
  { client, lease, tool }: Standing,
  input: unknown,
  context: ToolContext,
): Promise<ToolAnswer> {
  try {
    const answer = await tool.run(input, context);
    if (answer.kind !== "error") return answer;
    const { stands } = await client.ask({ kind: "lease_stands", lease });
    return stands ? answer : { kind: "cancelled", text: answer.text };
  } catch (error) {
    // A coordinator whose store has failed answers nothing, and tells the host to stop.
    const gone = error instanceof CoordinatorLost || (error instanceof AskFailed && context.signal.aborted);
    if (!gone) throw error;
    return { kind: "cancelled", text: `cancelled: ${error.message}` };
  }
}
