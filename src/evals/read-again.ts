// Files that the first agent read although a child had read them for it: what a delegation did not save.

import { posix } from "node:path";
import { argumentsPath } from "./call-path.ts";
import type { AgentTranscript, RunTranscripts } from "./transcript.ts";

const readTool = "read_file";

/** Paths, each once, in the order of the reading. */
export function filesReadAgain({ agents, delegations }: RunTranscripts): readonly string[] {
  const [parent, ...children] = agents;
  if (parent === undefined) return [];
  const again = new Set<string>();
  for (const { path, atMs } of readsOf(parent)) {
    const readBefore = children.some((child) => {
      const over = delegations.find(({ child_id: id }) => id === child.id)?.ended_at_ms;
      return over !== undefined && over <= atMs && readsOf(child).some((read) => read.path === path);
    });
    if (readBefore) again.add(path);
  }
  return [...again];
}

function readsOf({ messages, results }: AgentTranscript): readonly { readonly path: string; readonly atMs: number }[] {
  return results.flatMap(({ name, turn, index, is_error: isError, start_ms: startMs }) => {
    if (name !== readTool || isError || startMs === "unavailable") return [];
    const answer = messages.find(({ turn: own, message }) => own === turn && message.role === "assistant")?.message;
    const path = answer?.role === "assistant" ? argumentsPath(answer.calls[index]?.arguments) : null;
    return path === null ? [] : [{ path: posix.normalize(path), atMs: startMs }];
  });
}
