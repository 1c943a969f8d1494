// One opencode server with many sessions: each is one of its own, is told of the others, and goes with the server; a subagent stands under its
// session.

import { expect, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { type Answer, type Call, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { opencode } from "./others/opencode.ts";
import { installed, makePlace, type Place } from "./place.ts";
import { requestsOf, told } from "./seen.ts";

const programs = installed();

const task: Call = { name: "task", args: { description: "look", prompt: "CHILD look", subagent_type: "general" } };

/** The child writes a file and is held; so is the second session. */
function answering(directory: () => string, held: Promise<void>): (request: ModelRequest) => Answer {
  const write = (name: string): Call => ({
    name: "write",
    args: { filePath: `${directory()}/${name}`, content: "x\n" },
  });
  return ({ user, turn, tools }) => {
    if (tools === 0) return { say: "title" };
    if (user.includes("CHILD")) return turn === 0 ? { calls: [write("child.txt")] } : { say: "Done.", after: held };
    if (user.includes("FIRST-TASK")) return turn === 0 ? { calls: [task] } : { say: "Done." };
    return { say: "Held.", after: held };
  };
}

test("P14 P15 P16 one opencode server, two sessions, and a subagent of the first", async () => {
  const hold = Promise.withResolvers<void>();
  let directory = "";
  await using model = await startFakeModel(answering(() => directory, hold.promise));
  using place = makePlace(programs, model.port, [opencode]);
  directory = place.repository;
  place.run("skein", "install", "opencode", "--yes");
  const server = place.start("opencode", "serve", "--port", "0");
  const url = await eventually(
    "the server listens",
    () => /http:\/\/127\.0\.0\.1:\d+/.exec(server.output())?.[0] ?? null,
  );
  const post = async (path: string, body: object): Promise<{ readonly id: string }> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { readonly id: string };
  };
  const begin = async (text: string): Promise<string> => {
    const { id } = await post("/session", {});
    void post(`/session/${id}/message`, { parts: [{ type: "text", text }] }).catch(() => undefined);
    return id;
  };
  const first = await begin("FIRST-TASK delegate it");
  await eventually("the child asks again", () => requestsOf(model, "CHILD").find(({ turn }) => turn > 0) ?? null);
  const second = await begin("SECOND-TASK look around");
  await eventually("the second asks", () => requestsOf(model, "SECOND-TASK")[0] ?? null);
  expect(rows(place)).toEqual(
    [
      [first, "live", "working", "FIRST-TASK delegate it", [], [["working", ["child.txt"]]]],
      [second, "live", "working", "SECOND-TASK look around", [], []],
    ].sort(),
  );
  const block = requestsOf(model, "SECOND-TASK").map(told)[0]?.block;
  expect(block).toMatch(/- opencode \S+: working.*\n {2}intent: "FIRST-TASK delegate it"/);
  await server.kill();
  expect(rows(place)).toEqual([]);
  hold.resolve();
});

function rows(place: Place): readonly unknown[] {
  const { sessions } = JSON.parse(place.run("skein", "who", "--json"));
  return sessions
    .map((row: Row) => [row.session, row.liveness, row.state, row.intent?.text, paths(row), row.subagents.map(sub)])
    .sort();
}

interface Row {
  readonly session: string;
  readonly liveness: string;
  readonly state: string;
  readonly intent: { readonly text: string } | null;
  readonly files: readonly { readonly path: string }[];
  readonly subagents: readonly Row[];
}

const paths = ({ files }: Pick<Row, "files">) => files.map(({ path }) => path);
const sub = (row: Row) => [row.state, paths(row)];
