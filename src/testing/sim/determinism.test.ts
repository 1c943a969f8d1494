// One seed, one run: a small world of writers, connections, children and a power loss is the same twice, and another under another seed.

import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { bytes, text } from "../contract/under-test.ts";
import { type SimHost, simHost } from "./host.ts";

test("two runs with one seed are identical to the byte and the microsecond", async () => {
  const first = await storyOf(42);
  expect(await storyOf(42)).toEqual(first);
});

test("seeds differ in interleaving, timing and what a crash leaves", async () => {
  const stories = await Promise.all([1, 2, 3, 4, 5].map(storyOf));
  const distinct = (pick: (story: Story) => unknown) =>
    new Set(stories.map((story) => JSON.stringify(pick(story)))).size;
  expect([distinct((story) => story.events) > 1, distinct((story) => story.disk) > 1]).toEqual([true, true]);
});

interface Story {
  readonly events: readonly string[];
  readonly disk: readonly string[];
}

async function storyOf(seed: number): Promise<Story> {
  const sim = simHost({ seed, flushMsMax: 3 });
  const events: string[] = [];
  const note = (what: string) => events.push(`${sim.clock.monotonicMs().toFixed(6)} ${what}`);
  sim.programs.set("tick", async ({ clock, stdout }) => {
    for (let tick = 0; tick < 5; tick++) {
      await clock.sleep(2);
      await stdout(bytes(`tick ${tick}`));
    }
    return 0;
  });
  await sim.run(
    Promise.all([1, 2, 3].map((writer) => write(sim, writer, note)).concat(echo(sim, note), watchTicks(sim, note))),
  );
  sim.disk.crash();
  return { events: [...events, sim.random.letters(20)], disk: sim.disk.dump() };
}

async function write(sim: SimHost, writer: number, note: (what: string) => void): Promise<void> {
  const handle = unwrap(await sim.files.open("/shared", "append"), "open");
  for (let line = 0; line < 20; line++) {
    unwrap(await handle.append([bytes(`${writer}:${line}\n`)]), "append");
    if (line % 7 === 0) unwrap(await handle.sync(), "sync");
    note(`writer ${writer} line ${line}`);
  }
  unwrap(await sim.files.write(`/own-${writer}`, bytes(sim.random.letters(100))), "write");
}

async function echo(sim: SimHost, note: (what: string) => void): Promise<void> {
  const listening = await sim.net.listen("/socket", async (connection) => {
    for await (const chunk of connection.bytes) await connection.send(chunk);
  });
  unwrap(listening, "listen");
  const connection = unwrap(await sim.net.connect("/socket"), "connect");
  for (let message = 0; message < 10; message++) void connection.send(bytes(`message ${message};`));
  let received = "";
  for await (const chunk of connection.bytes) {
    received += text(chunk);
    note(`received ${text(chunk)}`);
    if (received.endsWith("message 9;")) break;
  }
}

async function watchTicks(sim: SimHost, note: (what: string) => void): Promise<void> {
  const child = unwrap(await sim.processes.spawn({ argv: ["tick"], cwd: "/", env: {} }), "spawn");
  for await (const chunk of child.stdout) note(text(chunk));
  note(JSON.stringify(await child.exit));
}
