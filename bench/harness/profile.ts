// Where the CPU of one answer goes: profiles of Skein and of the bare loop, summed up by what the code belongs to. Places in the bundle are
// told by its source map.

import { readdirSync, readFileSync } from "node:fs";
import { type SourceMap, SourceMap as SourceMapOf } from "node:module";
import { join } from "node:path";
import type { ProfileLine } from "../vcs/profile.ts";

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const linesMax = 14;

/** Of the one `.cpuprofile` in the directory; `label` stands before each line. */
export function profileByOwner(directory: string, label: string): readonly ProfileLine[] {
  const [name] = readdirSync(directory).filter((file) => file.endsWith(".cpuprofile"));
  if (name === undefined) return [];
  const profile: CpuProfile = JSON.parse(readFileSync(join(directory, name), "utf8"));
  const maps = new Map<string, SourceMap | null>();
  const owners = new Map(profile.nodes.map(({ id, callFrame }) => [id, ownerOf(callFrame, maps)]));
  const spent = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const owner = owners.get(id) ?? "";
    if (owner === "(idle)") continue;
    spent.set(owner, (spent.get(owner) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  const total = [...spent.values()].reduce((sum, micros) => sum + micros, 0);
  return [...spent]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, linesMax)
    .map(([owner, micros]) => ({
      share: micros / total,
      where: `${label}: ${owner}, ${(micros / 1_000).toFixed(0)} ms`,
    }));
}

function ownerOf(
  { functionName, url, lineNumber, columnNumber }: CpuProfile["nodes"][number]["callFrame"],
  maps: Map<string, SourceMap | null>,
): string {
  if (url === "") return functionName === "" || functionName === "(root)" ? "(program)" : functionName;
  if (url.startsWith("node:"))
    return /undici/.test(url) ? "node: fetch (undici)" : url.replace(/^(node:[^/]*\/?[^/]*).*/, "$1");
  const map = mapOf(url.replace(/^file:\/\//, ""), maps);
  const entry = map?.findEntry(lineNumber, columnNumber);
  const source = entry !== undefined && "originalSource" in entry ? entry.originalSource : url;
  const [, packaged] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (packaged !== undefined) return packaged;
  const [, own] = /\/(src\/[^/]+(?:\/[^/.]+)?)/.exec(source) ?? [];
  return own ?? source.split("/").at(-1) ?? source;
}

function mapOf(path: string, maps: Map<string, SourceMap | null>): SourceMap | null {
  const known = maps.get(path);
  if (known !== undefined) return known;
  let map: SourceMap | null = null;
  try {
    map = new SourceMapOf(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  } catch {
    // A file that was not bundled stands for itself.
  }
  maps.set(path, map);
  return map;
}
