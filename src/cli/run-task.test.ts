// Every way to name the task of `skein run`, with an input that holds what the test says.

import { expect, test } from "vitest";
import type { Input, ReadInput } from "./input.ts";
import { readTask, type TaskSources } from "./run-task.ts";

const piped = (read: ReadInput, kind: Input["kind"] = "piped"): Input => ({
  kind,
  terminal: false,
  read: async () => read,
});
const text = (of: string) => piped({ kind: "text", text: of });
const nothing: Input = { kind: "other", terminal: true, read: async () => Promise.reject(new Error("it is not read")) };

async function read(input: Input, argument?: string, prompt?: TaskSources["prompt"]) {
  const answer = await readTask({ argument, prompt, input });
  return answer.ok ? (answer.value.note === null ? answer.value.task : answer.value) : answer.error.what;
}

test("a task is an argument, a prompt, standard input, or words with what is piped in beneath them", async () => {
  expect([
    await read(nothing, "do it"),
    await read(nothing, undefined, "do it"),
    await read(nothing),
    await read(text("from there\n"), "-"),
    await read(text("from there\n"), undefined, true),
    await read(text("from there\n"), undefined, "-"),
    await read(piped({ kind: "text", text: "from there\n" }, "other"), undefined, true),
    await read(text("+ line\n"), "review"),
    await read(text("+ line\n"), "review", true),
    await read(text(" \n"), "review"),
    // A socket that somebody left open is read only if it is asked for.
    await read(piped({ kind: "failed", message: "it is not read" }, "other"), "review"),
  ]).toEqual([
    "do it",
    "do it",
    null,
    ...Array(4).fill("from there\n"),
    ...Array(2).fill("review\n\n<stdin>\n+ line\n\n</stdin>"),
    "review",
    "review",
  ]);
});

test("an input that stays silent is left out and said to be; one that cannot be taken whole is refused", async () => {
  expect([
    await read(piped({ kind: "silent" }), "review"),
    await read(piped({ kind: "too-large" }), "review"),
    await read(piped({ kind: "not-utf8" }), "review"),
    await read(piped({ kind: "failed", message: "EIO" }), "-"),
    await read(nothing, "-"),
    await read(nothing, "one", "two"),
  ]).toEqual([
    {
      task: "review",
      note: "nothing came on standard input within 3 s: the task goes on without it; < /dev/null says that nothing will",
    },
    "standard input has more than 1048576 bytes",
    "standard input is not UTF-8 text",
    "standard input cannot be read: EIO",
    "the task is to be read from standard input, which is a terminal",
    "the task is named twice: as an argument and with -p",
  ]);
});
