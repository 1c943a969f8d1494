// Real tools in one response, through the loop: calls that do not touch the same run together, those that do keep their order, and each
// has its own result.

import { expect, test } from "vitest";
import { runAgent } from "../agent/loop.ts";
import type { ToolCall } from "../model/message.ts";
import { call, calling, rig, saying } from "../testing/agent/rig.ts";
import { freshTree } from "../testing/tools/tree.ts";
import type { ToolEnv } from "./env.ts";
import { editingTools, readOnlyTools } from "./index.ts";

const tree = freshTree();

async function results(calls: readonly ToolCall[], env: ToolEnv = tree().env) {
  const tools = [...readOnlyTools(env), ...editingTools(env)];
  const one = rig({ answers: [calling(...calls), saying("done")], tools });
  await runAgent(one.spec, { ...one.ports, clock: env.clock });
  const last = one.provider.requests[1]?.messages.at(-1);
  return last?.role === "tool" ? last.results.map(({ text, isError }) => [text, isError] as const) : [];
}

const read = (path: string) => call(`r-${path}`, "read_file", { path });
const write = (path: string, content: string) => call(`w-${path}`, "write_file", { path, content });
const edit = (path: string, from: string, to: string) =>
  call(`e-${path}-${from}`, "edit_file", { path, edits: [{ old_string: from, new_string: to }] });

test("H1 H2 H4 a search that fails, a refused pattern and an unknown tool leave the others whole", async () => {
  await tree().put("a.txt", "one\n");
  const calls = [
    call("g1", "grep", { pattern: "nowhere" }),
    call("g2", "grep", { pattern: "(" }),
    call("s", "bash", { command: "sleep 0.2; echo done" }),
    call("u", "runs", {}),
    call("g3", "glob", { pattern: "{" }),
    call("g4", "glob", { pattern: "*.txt" }),
  ];
  const all = await results(calls);
  expect(all.map(([, isError]) => isError)).toEqual([false, true, false, true, true, false]);
  expect([all[0]?.[0], all[2]?.[0], all[5]?.[0]]).toEqual(["no match", "done\n[exit code 0]", "a.txt"]);
});

test("H3 H7 edits of five files land together but for the one that cannot, and two of one file are both in it", async () => {
  const body = Array.from({ length: 80 }, (_, n) => `line ${n + 1}`).join("\n");
  for (const n of [1, 2, 3, 4, 5]) await tree().put(`${n}.txt`, body);
  const calls = [
    edit("1.txt", "line 50\n", "fifty\n"),
    edit("2.txt", "line 7\n", "seven\n"),
    edit("3.txt", "missing", "x"),
    edit("4.txt", "line 7\n", "seven\n"),
    edit("5.txt", "line 7\n", "seven\n"),
    edit("./1.txt", "line 75\n", "seventy-five\n"),
    read("1.txt"),
  ];
  const all = await results(calls);
  expect(all.map(([, isError]) => isError)).toEqual([false, false, true, false, false, false, false]);
  expect(all[2]?.[0]).toContain("old_string was not found");
  expect([all[6]?.[0].includes("fifty"), all[6]?.[0].includes("seventy-five")]).toEqual([true, true]);
});

test("each call sees what it would have seen in sequence: a file that is written, its directory, a search", async () => {
  await tree().put("d/old.txt", "old\n");
  const all = await results([
    write("d/new.txt", "new\n"),
    read("d"),
    read("d/nwe.txt"),
    read("./d/new.txt"),
    call("g", "grep", { pattern: "new" }),
    write("d/later.txt", "new\n"),
  ]);
  expect(all.map(([text]) => text)).toEqual([
    "created d/new.txt (1 line)",
    "d is a directory with: new.txt, old.txt",
    "d/nwe.txt: no such file. In the same directory: new.txt, old.txt",
    "    1\tnew",
    "d/new.txt:1:new",
    "created d/later.txt (1 line)",
  ]);
});

test("four reads behind a slow file system wait at the same time", async () => {
  const { files } = tree().env;
  for (const n of [1, 2, 3, 4]) await tree().put(`${n}.txt`, `${n}\n`);
  // Nobody's reading ends before all four have begun: one after another they would wait for ever.
  const begun = Promise.withResolvers<void>();
  let waiting = 0;
  const slow = {
    ...files,
    read: async (path: string, bytesMax: number) => {
      waiting += 1;
      if (waiting === 4) begun.resolve();
      await begun.promise;
      return files.read(path, bytesMax);
    },
  };
  const all = await results(
    [1, 2, 3, 4].map((n) => read(`${n}.txt`)),
    { ...tree().env, files: slow },
  );
  expect(all.map(([text]) => text)).toEqual(["    1\t1", "    1\t2", "    1\t3", "    1\t4"]);
});
