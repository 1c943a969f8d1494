// pi driven line by line: a new history in the same process, with both of its npm homes.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { startFakeModel } from "./fake-model.ts";
import { pi, piNew } from "./others/pi.ts";
import { installed, makePlace, type Place } from "./place.ts";

const programs = installed();

/** https://github.com/badlogic/pi-mono: docs/rpc.md of the package. */
function startRpc(place: Place) {
  const child = spawn("pi", ["--mode", "rpc"], {
    env: place.env,
    cwd: place.repository,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { type, command = "" } = JSON.parse(line);
    said.push(`${type} ${command}`.trim());
  });
  return {
    send: (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`),
    said: (what: string, times = 1) =>
      eventually(what, () => (said.filter((one) => one === what).length >= times ? true : null)),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

test.each([pi, piNew].map((other) => [other.folder, other] as const))(
  "P11 a new history in the same %s is the same row",
  async (_, other) => {
    await using model = await startFakeModel(() => ({ say: "ok" }));
    using place = makePlace(programs, model.port, [other]);
    place.run("skein", "install", "pi", "--yes");
    using running = startRpc(place);
    running.send({ type: "prompt", message: "FIRST-TASK and more" });
    await running.said("agent_end");
    running.send({ type: "new_session" });
    await running.said("response new_session");
    running.send({ type: "prompt", message: "SECOND-TASK and more" });
    await running.said("agent_end", 2);
    await eventually("the second is told", () => (row(place)?.intent?.text === "SECOND-TASK and more" ? true : null));
    expect(rows(place).length).toBe(1);
  },
);

interface ShownRow {
  readonly intent: { readonly text: string } | null;
}

function rows(place: Place): readonly ShownRow[] {
  return JSON.parse(place.run("skein", "who", "--json")).sessions;
}

function row(place: Place): ShownRow | undefined {
  return rows(place)[0];
}
