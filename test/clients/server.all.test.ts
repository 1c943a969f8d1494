// One opencode server with many sessions: each is one of its own, is told of the others, and goes with the server; a subagent stands under its
// session.

import { expect, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { type Answer, type Call, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { resultsIn } from "./notes.ts";
import { opencode } from "./others/opencode.ts";
import { installed, makePlace, type Place } from "./place.ts";
import { requestsOf, told } from "./seen.ts";

const programs = installed();

const task: Call = { name: "task", args: { description: "look", prompt: "CHILD look", subagent_type: "general" } };

const note = (text: string): Call => ({ name: "skein_note", args: { text } });

/** The child writes a file and a note and is held; so is the second session after its own. */
function answering(directory: () => string, held: Promise<void>): (request: ModelRequest) => Answer {
  const write = (name: string): Call => ({
    name: "write",
    args: { filePath: `${directory()}/${name}`, content: "x\n" },
  });
  return ({ user, turn, tools }) => {
    if (tools === 0) return { say: "title" };
    if (user.includes("CHILD"))
      return (
        [{ calls: [write("child.txt")] }, { calls: [note("of the child")] }][turn] ?? { say: "Done.", after: held }
      );
    if (user.includes("FIRST-TASK")) return turn === 0 ? { calls: [task] } : { say: "Done." };
    return (
      [{ calls: [note("of the second")] }, { calls: [{ name: "skein_who", args: {} }] }][turn] ?? {
        say: "Held.",
        after: held,
      }
    );
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
  const child = await eventually(
    "the child has noted",
    () => requestsOf(model, "CHILD").find(({ turn }) => turn > 1) ?? null,
  );
  const second = await begin("SECOND-TASK look around");
  const noted = await eventually(
    "the second has noted",
    () => requestsOf(model, "SECOND-TASK").find(({ turn }) => turn > 1) ?? null,
  );
  expect(rows(place)).toEqual(
    [
      [first, "live", "working", "FIRST-TASK delegate it", [], [["working", ["child.txt"]]]],
      [second, "live", "working", "SECOND-TASK look around", [], []],
    ].sort(),
  );
  const block = requestsOf(model, "SECOND-TASK").map(told)[0]?.block;
  expect(block).toMatch(/- opencode \S+: working.*\n {2}intent: "FIRST-TASK delegate it"/);
  // One server of ours serves them all, and each speaks for itself; to the second only the first is another.
  const home = (id: string): string => `/opencode_${id.replaceAll("_", "-").slice(0, 16)}`;
  expect(resultsIn(child)).toMatch(new RegExp(`Noted on branch main in \\S*${home(first)}\\S*_\\S+/scratchpad\\.md`));
  expect(resultsIn(noted)).toMatch(new RegExp(`Noted on branch main in \\S*${home(second)}`));
  const others = resultsIn(noted).match(/^- opencode \S+/gm);
  expect(others).toHaveLength(1);
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
