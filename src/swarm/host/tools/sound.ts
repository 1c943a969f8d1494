// A call that met a disk which refuses has not failed in its agent's eyes: its result is `cancelled`, the conversation ends there, and
// the call is made again when the run goes on. An end that the coordinator has taken stands.

import type { Tool, ToolAnswer, ToolContext } from "../../../agent/tool.ts";
import { CoordinatorLost } from "../client.ts";
import { type DiskWatch, diskRefusalIn } from "../disk-watch.ts";

export interface SoundOptions {
  readonly disk: DiskWatch;
  /** A file that may be written to see what the disk takes, in a directory that is there. */
  readonly probe: string;
  /** Ends the conversation. */
  readonly onRefused: () => void;
}

export function soundTools(tools: readonly Tool[], options: SoundOptions): readonly Tool[] {
  return tools.map((tool) => ({ ...tool, run: (input, context) => runSound(tool, options, { input, context }) }));
}

async function runSound(
  tool: Tool,
  { disk, probe, onRefused }: SoundOptions,
  { input, context }: { readonly input: unknown; readonly context: ToolContext },
): Promise<ToolAnswer> {
  let answer: ToolAnswer;
  try {
    answer = await tool.run(input, context);
    // Also of one that ended well: a shell's exit code is its last command's.
    const refused = answer.kind !== "end" && (await disk.confirms(answer.text, probe));
    if (!refused) return answer;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // What the coordinator's own disk refuses ends the run there.
    if (error instanceof CoordinatorLost || (disk.refusal === null && diskRefusalIn(text) === null)) throw error;
    answer = { kind: "cancelled", text };
  }
  onRefused();
  return { kind: "cancelled", text: `cancelled, to be made again when the disk takes it: ${answer.text}` };
}
