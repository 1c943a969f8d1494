// A tree on the real disk with the tools on it, for tests: made fresh before each test and removed after it.

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterEach, beforeEach } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { loneCall, type Tool, type ToolAnswer } from "../../agent/tool.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import type { ToolEnv } from "../../tools/env.ts";

export interface Tree {
  readonly root: string;
  readonly env: ToolEnv;
  /** Writes a file of the tree, with its directories. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** Runs a tool; the signal never aborts unless one is given. */
  use(tool: Tool, input: unknown, signal?: AbortSignal): Promise<ToolAnswer>;
}

/** The tree of the running test; read it only inside a test. */
export function freshTree(changes: Partial<ToolEnv> = {}): () => Tree {
  let directory: string;
  let tree: Tree;
  beforeEach(async () => {
    directory = await realpath(await mkdtemp(join(tmpdir(), "skein-tools-")));
    const root = join(directory, "tree");
    await mkdir(root);
    tree = treeAt(root, changes);
  });
  afterEach(() => rm(directory, { recursive: true }));
  return () => tree;
}

function treeAt(root: string, changes: Partial<ToolEnv>): Tree {
  const { files, processes, clock } = nodeHost();
  const environment = { PATH: process.env.PATH ?? "", HOME: dirname(root) };
  const env = {
    files,
    processes,
    clock,
    root,
    rgPath,
    environment,
    spillDirectory: join(dirname(root), "spill"),
    ...changes,
  };
  let calls = 0;
  return {
    root,
    env,
    async put(path, content) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    use(tool, input, signal = new AbortController().signal) {
      calls++;
      return tool.run(input, loneCall({ agent: asAgentId("a1"), callId: asCallId(`c${calls}`), signal }));
    },
  };
}
