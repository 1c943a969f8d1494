// What a lone run takes from around it beside its settings: the repository's notes for agents, skills, the person's hooks. Read once, at its
// start: what an agent changes of them meanwhile counts in the next run.

import { join } from "node:path";
import type { HookList } from "../agent/hooks/hook-file.ts";
import type { Skill } from "../tools/read-skill.ts";
import { loadHooks } from "./hook-settings.ts";
import { readInstructions } from "./instructions.ts";
import type { Settings } from "./settings.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export interface RunContext {
  /** Further parts of the system prompt. */
  readonly system: readonly string[];
  readonly skills: readonly Skill[];
  readonly hooks: HookList;
  /** For the person: what is in effect. */
  readonly lines: readonly string[];
  /** For the person: what was left out and why. */
  readonly notes: readonly string[];
}

const PROJECT_SKILLS = [".skein/skills", ".agents/skills", ".claude/skills"] as const;
const OWN_SKILLS = [".agents/skills", ".claude/skills"] as const;

export interface ContextPlace {
  readonly directory: string;
  /** The repository's; null outside one. */
  readonly top: string | null;
}

export async function readContext(
  surroundings: Surroundings,
  settings: Settings,
  { directory, top }: ContextPlace,
): Promise<RunContext> {
  const { files } = surroundings.host;
  const [instructions, skills, hooks] = await Promise.all([
    readInstructions(files, directory, top),
    skillsAround(surroundings, settings, top ?? directory),
    loadHooks(files, settings.hooks, top ?? directory),
  ]);
  const lines = [
    instructions.paths.length === 0 ? null : `notes for agents: ${instructions.paths.join(", ")}`,
    skills.skills.length === 0 ? null : `skills: ${skills.skills.map(({ name }) => name).join(", ")}`,
    hooks.commands.length === 0 ? null : hooksLine(hooks),
  ].filter((line) => line !== null);
  return {
    system: [instructions.text, skills.text].filter((text) => text !== ""),
    skills: skills.skills,
    hooks,
    lines,
    notes: [...instructions.notes, ...skills.notes, ...hooks.notes],
  };
}

function hooksLine({ commands }: HookList): string {
  const events = [...new Set(commands.map(({ event }) => event))];
  return `hooks: ${commands.length} of yours, at ${events.join(", ")}`;
}

interface FoundSkills {
  readonly skills: readonly Skill[];
  readonly text: string;
  readonly notes: readonly string[];
}

const NO_SKILLS: FoundSkills = { skills: [], text: "", notes: [] };

/** The reader of skills is loaded only where there is a folder of them. */
async function skillsAround(
  { host: { files }, env }: Surroundings,
  { hooks: { userPath } }: Settings,
  top: string,
): Promise<FoundSkills> {
  const home = variable(env, "HOME");
  const own = [
    ...(userPath === null ? [] : [join(userPath, "..", "skills")]),
    ...(home === null ? [] : OWN_SKILLS.map((path) => join(home, path))),
  ].map((directory) => ({ directory, within: null }));
  const project = PROJECT_SKILLS.map((path) => ({ directory: join(top, path), within: top }));
  const places = [...own, ...project];
  const there = await Promise.all(places.map(async ({ directory }) => (await files.stat(directory)).ok));
  if (!there.includes(true)) return NO_SKILLS;
  const { readSkills, skillsText } = await import("./skills.ts");
  const { skills, notes } = await readSkills(
    files,
    places.filter((_, index) => there[index]),
  );
  return { skills, text: skillsText(skills), notes };
}
