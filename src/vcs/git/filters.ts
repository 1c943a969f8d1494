// The clean, smudge and process filters a repository configured, switched off for one command. Git has no switch for all of
// them, so they are found by name. Reading settings runs nothing.

import { ok } from "../../base/result.ts";
import { type Git, type GitCall, type GitResult, gitError, runGit } from "./command.ts";
import type { ConfigPair } from "./environment.ts";

const filterSettingsMax = 1_000;
const settingsBytesMax = 16 * 1024 * 1024;

/** Pairs that turn every configured filter into "no filter". A filtered file whose time stamp changed may then look modified. */
export async function filtersOff(git: Git, cwd: string): GitResult<readonly ConfigPair[]> {
  const call: GitCall = { cwd, args: ["config", "--null", "--name-only", "--list"] };
  const listed = await runGit(git, { ...call, outputBytesMax: settingsBytesMax });
  if (!listed.ok) return listed;
  const names = new Set<string>();
  for (const key of Buffer.from(listed.value).toString("utf8").split("\0")) {
    const name = /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1];
    if (name !== undefined) names.add(name);
  }
  if (names.size > filterSettingsMax) {
    return { ok: false, error: gitError(call, null, `more than ${filterSettingsMax} filters are configured`) };
  }
  return ok([...names].flatMap(off));
}

function off(name: string): ConfigPair[] {
  return [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    // A required filter that is missing would stop the command.
    [`filter.${name}.required`, "false"],
  ];
}
