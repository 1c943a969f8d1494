// A store's server under pressure: who announces much, takes nothing, asks without end or is gone is in nobody else's way.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import type { Connection } from "../../host/net.ts";
import { framesOf, hello } from "../../testing/socket/raw-frames.ts";
import { type SocketRig, socketRig } from "../../testing/socket/socket-rig.ts";
import { asPath, request } from "../../testing/vcs/vcs-rig.ts";
import { FRAME, packFrame, unpackBody, writeFrameHead } from "./frame.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const settled = 20_000;

/** A head that announces so many bytes of a commit, and nothing of them. */
function announced(bytes: number): Buffer {
  const head = Buffer.alloc(9);
  writeFrameHead(head, { bytes, kind: FRAME.commit, id: 1 });
  return head;
}

async function idle(it: SocketRig, bytes: number): Promise<Connection> {
  const connection = await it.raw();
  await connection.send(Buffer.concat([hello(), announced(bytes)]));
  return connection;
}

async function reasonOf(connection: Connection): Promise<unknown> {
  for await (const { kind, body } of framesOf(connection)) {
    if (kind === FRAME.bye) return unwrap(unpackBody(body), "bye");
  }
  return "closed without a word";
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < settled; waited += 5) await sleep(5);
  expect(isSo()).toBe(true);
}

test("who announces large requests and sends nothing is in the way of no small one", async () => {
  await using it = await socketRig({ socket: { requestBytesMax: 4 * MIB, frameBytesMax: 4 * MIB } });
  const [first] = [await idle(it, 4 * MIB), await idle(it, 4 * MIB), await idle(it, 3 * MIB)];
  await until(() => it.server.load().requestBytes === 4 * MIB);
  const client = await it.client();
  const landed = await client.commit(request({ by: 1, base: 1, files: { f: "small\n" } }));
  expect([landed.ok && landed.value.kind, it.server.load().requestBytes]).toEqual(["landed", 4 * MIB]);
  first?.close();
});

test("who announces large requests and sends nothing gives way to a large one that waits", async () => {
  const socket = { requestBytesMax: 4 * MIB, frameBytesMax: 4 * MIB, pressedStallMsMax: 50 };
  await using it = await socketRig({ socket });
  const stranger = await idle(it, 4 * MIB);
  await until(() => it.server.load().requestBytes === 4 * MIB);
  const client = await it.client();
  const committing = client.commit(request({ by: 1, base: 1, files: { f: "x".repeat(2 * MIB) } }));
  const reason = "the rest of a request did not come in time, and others waited for the room it had";
  expect([await reasonOf(stranger), (await committing).ok, it.server.load().requestBytes]).toEqual([
    { reason },
    true,
    0,
  ]);
});

test("lists that nobody reads hold a bounded amount, and those of a connection that is gone are not made", async () => {
  const files = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${"d".repeat(90)}${index}`, "f"]));
  const socket = { partBytesMax: MIB, partBytes: 256 * KIB, streamsOpenMax: 8 };
  await using it = await socketRig({ files, socket });
  const strangers: Connection[] = [];
  for (let count = 0; count < 10; count += 1) {
    const connection = await it.raw();
    strangers.push(connection);
    await connection.send(hello());
    for (let id = 1; id <= 50; id += 1)
      void connection.send(packFrame(FRAME.ask, id, { kind: "list", at: null, prefix: "" }));
  }
  const client = await it.client();
  const outcomes: unknown[] = [];
  let most = 0;
  for (let index = 0; index < 20; index += 1) {
    const landed = await client.commit(request({ by: 1, base: 1, files: { [`f${index}`]: "f" } }));
    outcomes.push(landed.ok && landed.value.kind);
    most = Math.max(most, it.server.load().unsentBytes);
  }
  for (const connection of strangers) connection.close();
  await until(() => it.server.load().connections === 1);
  const left = await client.list();
  expect([
    outcomes,
    // All parts on their way, and the answers of hellos and commits beside them.
    most > 0 && most <= MIB + 64 * KIB,
    left.ok && left.value.files.length,
    it.server.load().unsentBytes,
  ]).toEqual([outcomes.map(() => "landed"), true, 5_020, 0]);
});

test("who asks for small contents and takes none holds a bounded amount, and is in the way of nobody else's", async () => {
  const text = "q".repeat(60_000);
  await using it = await socketRig({ files: { f: text } });
  const client = await it.client();
  const entry = unwrap(await client.entry(asPath("f"), null), "entry").entry;
  if (entry === null) throw new Error("it is there");
  const strangers: Connection[] = [];
  for (let count = 0; count < 10; count += 1) {
    const connection = await it.raw();
    strangers.push(connection);
    await connection.send(hello());
    const asks = Array.from({ length: 300 }, (_, id) =>
      packFrame(FRAME.ask, id + 1, { kind: "blob", id: entry.blob, offset: 0 }),
    );
    void connection.send(Buffer.concat(asks));
  }
  await until(() => it.server.load().unsentBytes > 10 * MIB || it.server.load().unsentBytes === 0);
  const answers: unknown[] = [];
  for (let asks = 0; asks < 10; asks += 1) {
    const answer = await Promise.race([client.blob(entry.blob, () => undefined), sleep(3_000).then(() => "late")]);
    answers.push(answer);
  }
  const { unsentBytes, answerBytes } = it.server.load();
  // Of each: what it has not taken, and sixteen small ones beyond it.
  expect([answers, unsentBytes <= 10 * 2.2 * MIB, answerBytes <= 10 * 17 * 60_000]).toEqual([
    answers.map(() => ({ ok: true, value: 60_000 })),
    true,
    true,
  ]);
  for (const connection of strangers) connection.close();
});

test("a listing shows its snapshot, whatever lands while it goes out", async () => {
  const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`f${index}`, "old\n"]));
  await using it = await socketRig({ files });
  const client = await it.client();
  const listing = client.list(null, "f");
  const changes = { f1: "new\n", "f-late": "late\n" };
  const landed = await client.commit(request({ by: 1, base: 1, files: changes }));
  const [then, now] = [unwrap(await listing, "list"), unwrap(await client.list(null, "f"), "list")];
  const blobOf = (path: string, list: typeof then) => list.files.find((file) => file.path === asPath(path))?.blob;
  expect([
    landed.ok && landed.value.kind,
    [then.at, then.files.length, blobOf("f1", then) === blobOf("f2", then)],
    [now.at, now.files.length, blobOf("f1", now) === blobOf("f2", now)],
  ]).toEqual(["landed", [1, 3_000, true], [2, 3_001, false]]);
});
