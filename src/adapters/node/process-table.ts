// The ProcessTable port of the system we run on.

import type { ProcessTable } from "../../host/process-table.ts";
import { linuxProcessTable } from "./linux-process-table.ts";

/** Elsewhere than on Linux and macOS nothing is known of any process, so that every session's state is `unknown`. */
export async function nodeProcessTable(platform: string): Promise<ProcessTable> {
  if (platform === "linux") return linuxProcessTable;
  if (platform === "darwin") return (await import("./macos-process-table.ts")).macosProcessTable();
  return {
    machine: async () => ({ host: "unknown", boot: null, namespace: null }),
    look: async (pids) =>
      new Map(
        pids.map((pid) => [pid, { kind: "unreadable", message: `not known how to look at processes on ${platform}` }]),
      ),
    children: async () => null,
  };
}
