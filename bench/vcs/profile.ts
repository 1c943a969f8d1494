// A CPU profile as a list: where a process spent its time, by function, the largest shares first.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ProfileLine {
  /** Of the time that was not idle. */
  readonly share: number;
  readonly where: string;
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Of the newest `.cpuprofile` of a directory (`node --cpu-prof`). */
export function profileLines(directory: string, linesMax: number): readonly ProfileLine[] {
  const newest = readdirSync(directory)
    .filter((name) => name.endsWith(".cpuprofile"))
    .sort()
    .at(-1);
  if (newest === undefined) return [];
  const profile = JSON.parse(readFileSync(join(directory, newest), "utf8")) as CpuProfile;
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const spent = new Map<string, number>();
  let total = 0;
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const micros = profile.timeDeltas[index] ?? 0;
    if (frame === undefined || frame.functionName === "(idle)") continue;
    const file =
      frame.url
        .split("/")
        .at(-1)
        ?.replace(/-[A-Z0-9]{8}\.js$/, ".js") ?? "";
    const where = file === "" ? frame.functionName : `${frame.functionName || "(anonymous)"} (${file})`;
    spent.set(where, (spent.get(where) ?? 0) + micros);
    total += micros;
  }
  return [...spent]
    .sort(([, a], [, b]) => b - a)
    .slice(0, linesMax)
    .map(([where, micros]) => ({ where, share: micros / total }));
}
