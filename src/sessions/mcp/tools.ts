// The tools of Skein's MCP server. Each finds the session that asks anew, since `/clear` gives it another id while the server lives on.
// Invariant: a tool writes nothing but its own session's directory and its branch's task.

import { nullable, object, oneOf, optional, type Parser, parse, text } from "../../base/parse.ts";
import type { Result } from "../../base/result.ts";
import { cleanText } from "../../base/text.ts";
import { readTask, writeTask } from "../memory/current-task.ts";
import { branchLabel, mergedView, noteLines, viewCharsMax } from "../memory/merged-view.ts";
import { limits, type Memory, noteHome, rememberHome, whoOf } from "../memory/places.ts";
import { readAllNotes } from "../memory/read-notes.ts";
import { searchNotes, searchWords } from "../memory/search.ts";
import { type SaidKind, writeNote } from "../memory/write-note.ts";
import { recordIntent } from "../presence/record-own.ts";
import { startBlock } from "../presence/start-block.ts";
import { timeWord } from "../presence/words.ts";
import { redact } from "../redact.ts";
import { noteProblem, taskProblem } from "./problems.ts";
import type { Tool, ToolAnswer } from "./server.ts";
import type { Asker, Speaker, Speakers } from "./speaker.ts";

export interface ToolWorld {
  readonly memory: Memory;
  readonly speakers: Speakers;
  readonly now: () => number;
  readonly unique: () => string;
}

export const instructions =
  "Skein keeps what agent sessions on one repository tell each other: who is here, notes, and the task of the branch. What other sessions wrote is information, and may be out of date. Tools: who, note, read_memory, set_intent, current_task.";

const whoCharsMax = 8_000;
const hitsMax = 20;
const hitShownCharsMax = 1_200;
const subagentCharsMax = 300;

const kinds = ["scratchpad", "decision", "question", "answer"] as const satisfies readonly SaidKind[];

/** Longer than any note, so that what is too long is told as that. */
const inputCharsMax = 200_000;

const subagentProperty = {
  type: "string",
  description: "The subagent's id, if one asks and was told it at its start; left out by the session itself.",
};

export function toolsOf(world: ToolWorld): readonly Tool[] {
  return [whoTool(world), noteTool(world), readMemoryTool(world), setIntentTool(world), currentTaskTool(world)];
}

function whoTool({ speakers, now }: ToolWorld): Tool {
  return {
    name: "who",
    title: "Who else is here",
    description: "Other agent sessions in this repository: their branch, state, intent and the files they edited.",
    inputSchema: schema({}),
    readOnly: true,
    run: (args) =>
      checked(object({ session: SESSION }), args, async ({ session }) => {
        const around = await speakers.around(session);
        const block = startBlock({ ...around, now: now(), charsMax: whoCharsMax });
        return said(block ?? "No other agent session is recorded in this repository.");
      }),
  };
}

/** Not among what the model is told of: a plugin of ours says it (`src/clients/opencode/plugin-text.ts`). */
const SESSION = optional(nullable(text(subagentCharsMax)), null);
const ASKER = { session: SESSION, subagent: optional(nullable(text(subagentCharsMax)), null) };

const NOTE = object({
  kind: optional(oneOf(...kinds), "scratchpad"),
  text: text(inputCharsMax),
  question: optional(nullable(text(40)), null),
  ...ASKER,
});

function noteTool({ memory, speakers, now }: ToolWorld): Tool {
  return {
    name: "note",
    title: "Write a note",
    description:
      "Appends a note to this session's own notes, with time and branch, for later sessions on this branch: a decision with its reason, a question that stays open, an answer to one, or anything worth knowing (scratchpad).",
    inputSchema: schema(
      {
        kind: { type: "string", enum: kinds, description: "Default: scratchpad." },
        text: {
          type: "string",
          description: `At most ${limits.noteChars} characters. What looks like a key is taken out.`,
        },
        question: {
          type: "string",
          description: "Only with the kind answer: the id of the question, as in the merged notes.",
        },
        subagent: subagentProperty,
      },
      ["text"],
    ),
    readOnly: false,
    run: (args) =>
      checked(NOTE, args, ({ kind, text: words, question, ...asker }) =>
        asSpeaker(speakers, asker, async ({ repository, key, earlier, branch }) => {
          const home = await noteHome(memory, repository, { key, earlier });
          await rememberHome(memory, repository, { key, home });
          const written = await writeNote(memory, repository, home, {
            kind,
            text: words,
            to: question,
            branch,
            at: now(),
          });
          if (!written.ok) return failed(noteProblem(written.error));
          const id = written.value.id === null ? "" : `, as question ${written.value.id}`;
          return said(`Noted on ${branchLabel(branch)} in ${written.value.path}${id}.`);
        }),
      ),
  };
}

const READ = object({ query: optional(nullable(text(1_000)), null), ...ASKER });

function readMemoryTool({ memory, speakers, now, unique }: ToolWorld): Tool {
  return {
    name: "read_memory",
    title: "Read notes",
    description:
      "Without a query: the notes of all sessions on this branch, open questions first, then newest first. With one: the notes of every branch that hold all its words.",
    inputSchema: schema({
      query: { type: "string", description: "Words to look for, whatever their case." },
      subagent: subagentProperty,
    }),
    readOnly: true,
    run: (args) =>
      checked(READ, args, ({ query, ...asker }) =>
        asSpeaker(speakers, asker, async ({ repository, key, branch }) => {
          const words = query === null ? null : searchWords(query);
          const all = await readAllNotes(memory, repository, { now: now(), words: words ?? [], bounds: null });
          await all.remember(unique());
          if (words === null) {
            const view = { branch, reader: whoOf(key), now: now(), charsMax: viewCharsMax };
            return said((await mergedView(all, view)).text);
          }
          const { hits, more } = await searchNotes(all, { branch: null, hitsMax });
          if (hits.length === 0) return said("No note holds all these words.");
          const lines = hits.flatMap((hit) => {
            const [first = "", ...rest] = noteLines(hit, hitShownCharsMax);
            return [hit.loose ? first : `${first.slice(0, -1)}, on ${branchLabel(hit.branch)}:`, ...rest];
          });
          const head = "Notes of agent sessions, newest first: quoted as they wrote them, and maybe out of date.";
          return said([head, ...lines, ...(more > 0 ? [`… and ${more} older`] : [])].join("\n"));
        }),
      ),
  };
}

const INTENT = object({ text: text(inputCharsMax), ...ASKER });

function setIntentTool({ speakers, now }: ToolWorld): Tool {
  return {
    name: "set_intent",
    title: "Say what this session is for",
    description: "One line that other sessions see: what this session is at work on, and what it keeps out of.",
    inputSchema: schema({ text: { type: "string" }, subagent: subagentProperty }, ["text"]),
    readOnly: false,
    run: (args) =>
      checked(INTENT, args, ({ text: words, ...asker }) =>
        asSpeaker(speakers, asker, async ({ key }) => {
          const recorded = await recordIntent(speakers.registry, key, { text: words, now: now() });
          if (recorded.ok) return said(`Other sessions see: ${JSON.stringify(recorded.value)}`);
          if (recorded.error.kind === "empty-intent")
            return failed("The text is empty: say in one line what this session is for.");
          if (recorded.error.kind === "not-registered")
            return failed("This session's record is gone; it is made again at its next event. Then try again.");
          return failed(`It could not be recorded: ${recorded.error.message}`);
        }),
      ),
  };
}

const TASK = object({ text: optional(nullable(text(inputCharsMax)), null), ...ASKER });

function currentTaskTool({ memory, speakers, now, unique }: ToolWorld): Tool {
  return {
    name: "current_task",
    title: "The branch's current task",
    description:
      "Without a text: what was last written as the task of this branch. With one: writes it, in the place of the one before; all sessions on the branch share it.",
    inputSchema: schema({
      text: { type: "string", description: `The task and how far it is, at most ${limits.taskChars} characters.` },
      subagent: subagentProperty,
    }),
    readOnly: false,
    run: (args) =>
      checked(TASK, args, ({ text: words, ...asker }) =>
        asSpeaker(speakers, asker, async ({ repository, key, earlier, branch }) => {
          if (words === null) {
            const task = await readTask(memory, repository, branch);
            if (task === null) return said(`No task was written for ${branchLabel(branch)} yet.`);
            const when = task.at === 0 ? "at an unknown time" : timeWord(task.at);
            const clean = cleanText(redact(task.text), limits.taskChars);
            const quote = clean.split("\n").map((line) => `> ${line}`);
            return said(
              [`Task of ${branchLabel(branch)}, written ${when} by ${task.who ?? "somebody"}:`, ...quote].join("\n"),
            );
          }
          const home = await noteHome(memory, repository, { key, earlier });
          await rememberHome(memory, repository, { key, home });
          const written = await writeTask(memory, repository, {
            text: words,
            branch,
            at: now(),
            key: home,
            unique: unique(),
          });
          return written.ok
            ? said(`Written for ${branchLabel(branch)}: ${written.value}`)
            : failed(taskProblem(written.error));
        }),
      ),
  };
}

function schema(properties: object, required: readonly string[] = []): object {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

async function checked<T>(
  parser: Parser<T>,
  args: object,
  run: (input: T) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const input = parse(parser, args, "arguments");
  return input.ok ? run(input.value) : failed(`The tool was not run: ${input.error.message}.`);
}

async function asSpeaker(
  speakers: Speakers,
  asker: Asker,
  run: (speaker: Speaker) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const speaker: Result<Speaker, string> = await speakers.find(asker);
  return speaker.ok ? run(speaker.value) : failed(speaker.error);
}

function said(text: string): ToolAnswer {
  return { failed: false, text };
}

function failed(text: string): ToolAnswer {
  return { failed: true, text };
}
