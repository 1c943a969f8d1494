// read_skill: the instructions of one skill, or another file of its folder, when a task needs them.

import { join } from "node:path";
import { z } from "zod";
import { CLAIMS_NOTHING } from "../agent/claim.ts";
import { defineTool, type Tool, type ToolAnswer } from "../agent/tool.ts";
import type { Files } from "../host/files.ts";
import { relativeInside, sentence } from "./path.ts";
import { binaryKind, readBytesMax } from "./read-file.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Absolute, without symlinks. */
  readonly directory: string;
}

const mainFile = "SKILL.md";
const filesNamedMax = 100;
const depthMax = 4;

const INPUT = z.object({
  name: z.string().describe("Name of the skill, as it is listed."),
  file: z
    .string()
    .optional()
    .describe(`A file of the skill's folder that its instructions name, relative to the folder. Default: ${mainFile}.`),
});

export function readSkillTool(files: Files, skills: readonly Skill[]): Tool {
  return defineTool({
    name: "read_skill",
    description: [
      "Reads the instructions of a skill: how to do one kind of task. The skills are listed in the system prompt.",
      "Use it before you begin with a task that a skill is for. It also reads other files of the skill's folder.",
    ].join("\n"),
    input: INPUT,
    effect: "read",
    claim: async () => CLAIMS_NOTHING,
    async run({ name, file = mainFile }) {
      const skill = skills.find((one) => one.name === name);
      if (skill === undefined) {
        const names = skills.map((one) => one.name).join(", ");
        return { kind: "error", text: `there is no skill "${name}". The skills are: ${names}` };
      }
      return readIn(files, skill, file);
    },
  });
}

async function readIn(files: Files, { name, directory }: Skill, file: string): Promise<ToolAnswer> {
  const refuse = (why: string): ToolAnswer => ({ kind: "error", text: `"${file}" of the skill ${name}: ${why}` });
  if (file.includes("\0")) return refuse("the path contains a NUL character");
  const real = await files.realPath(join(directory, file));
  if (!real.ok) return refuse(sentence(real.error));
  if (relativeInside(directory, real.value) === null) return refuse("it lies outside the skill's folder");
  const bytes = await files.read(real.value, readBytesMax);
  if (!bytes.ok) return refuse(sentence(bytes.error));
  const binary = binaryKind(bytes.value);
  if (binary !== null) return refuse(`it is ${binary}: it is not shown as text`);
  const text = Buffer.from(bytes.value).toString("utf8");
  if (file !== mainFile) return { kind: "text", text };
  const others = (await filesBelow(files, directory, "", depthMax)).filter((path) => path !== mainFile);
  const named = others.slice(0, filesNamedMax).join(", ");
  const more = others.length > filesNamedMax ? ` and ${others.length - filesNamedMax} more` : "";
  const folder = `[folder of the skill: ${directory}${others.length === 0 ? "" : `; other files in it: ${named}${more}`}]`;
  return { kind: "text", text: `${folder}\n${text}` };
}

async function filesBelow(files: Files, directory: string, below: string, depth: number): Promise<readonly string[]> {
  const entries = await files.list(join(directory, below), 1_000);
  if (!entries.ok) return [];
  const found: string[] = [];
  for (const { name, kind } of entries.value) {
    const path = below === "" ? name : `${below}/${name}`;
    if (kind === "file") found.push(path);
    if (kind === "directory" && depth > 1) found.push(...(await filesBelow(files, directory, path, depth - 1)));
  }
  return found;
}
