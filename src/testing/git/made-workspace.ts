// Workspaces for tests on the real disk, from trees written as plain objects.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../../adapters/node/host.ts";
import { asPosition, type BlobId, type RepoPath } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { blobId } from "../../vcs/blob-id.ts";
import type { Change, Entry, Mode } from "../../vcs/types.ts";
import { openBlobCache } from "../../vcs/workspace/blob-cache.ts";
import { createWorkspace, type WorkspaceOptions } from "../../vcs/workspace/workspace.ts";
import { blobSource } from "./real-repository.ts";

const { files } = nodeHost();
export type Tree = Readonly<Record<string, string | readonly [content: string, mode: Mode]>>;

/** A world of blobs: manifests and a source over them. */
export function world() {
  const contents = new Map<BlobId, Uint8Array>();
  const asked: BlobId[] = [];
  const source = blobSource(contents);
  return {
    asked,
    blobs: {
      get: (ids: readonly BlobId[]) => {
        asked.push(...ids);
        return source.get(ids);
      },
    },
    manifest(tree: Tree): Map<RepoPath, Entry> {
      return new Map(
        Object.entries(tree).map(([path, spec]): [RepoPath, Entry] => {
          const [content, mode]: readonly [string, Mode] = typeof spec === "string" ? [spec, "100644"] : spec;
          if (mode === "160000") return [path as RepoPath, { blob: content as BlobId, mode }];
          const bytes = Buffer.from(content, "latin1");
          contents.set(blobId(bytes), bytes);
          return [path as RepoPath, { blob: blobId(bytes), mode }];
        }),
      );
    },
  };
}

export async function made(at: string, tree: Tree, more: Partial<WorkspaceOptions> = {}) {
  const { blobs, manifest, asked } = world();
  const cache = openBlobCache({ files, directory: join(at, "cache") });
  const options: WorkspaceOptions = {
    files,
    directory: join(at, "w"),
    snapshot: { position: asPosition(1), manifest: manifest(tree) },
    blobs,
    cache,
    ...more,
  };
  const workspace = unwrap(await createWorkspace(options), "create");
  const root = workspace.root;
  return {
    workspace,
    root,
    manifest,
    asked,
    options,
    run: (script: string) => execFileSync("sh", ["-ec", script], { cwd: root }),
    scan: async () => unwrap(await workspace.scan(), "scan"),
    sync: async (position: number, target: Tree) =>
      unwrap(await workspace.sync({ position: asPosition(position), manifest: manifest(target) }), "sync"),
    syncWhole: async (position: number, target: Tree) =>
      unwrap(await workspace.syncWhole({ position: asPosition(position), manifest: manifest(target) }), "sync"),
    read: (path: string) => readFileSync(join(root, path), "utf8"),
  };
}

export const put = (path: string, content: string, mode: Mode = "100644"): Change => ({
  kind: "put",
  path: path as RepoPath,
  blob: blobId(Buffer.from(content)),
  mode,
});
export const gone = (path: string): Change => ({ kind: "delete", path: path as RepoPath });
