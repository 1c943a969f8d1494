// Positions and paths as the commands of a store take them, checked where they are read.

import { InvalidArgumentError } from "commander";
import type { RepoPath } from "../base/ids.ts";
import { parseRepoPath } from "../vcs/path.ts";

/** A snapshot's position, or the newest. */
export function positionArgument(text: string): number | "head" {
  if (text === "head") return text;
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('A position, or "head", is needed.');
  return Number(text);
}

export function pathArgument(text: string): RepoPath {
  const parsed = parseRepoPath(text.length > 1 ? text.replace(/^\.\//, "").replace(/\/+$/, "") : text);
  if (parsed.ok) return parsed.value;
  throw new InvalidArgumentError(`A path inside the store's tree is needed: ${parsed.error.reason}.`);
}

export function pathArguments(text: string, before: readonly RepoPath[] = []): readonly RepoPath[] {
  return [...before, pathArgument(text)];
}

export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
