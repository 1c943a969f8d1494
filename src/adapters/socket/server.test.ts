// A store's server and its clients over a real socket: what they answer is what the VCS answers, and nobody's fault is another's.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { asAgentId, asBlobId, asCommitKey, asConflictId, asPosition, asTaskId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import type { Net } from "../../host/net.ts";
import { memoryLog } from "../../testing/log/memory-log.ts";
import { socketRig } from "../../testing/socket/socket-rig.ts";
import { asPath, recordsOf, request, tree } from "../../testing/vcs/vcs-rig.ts";
import { nodeClock } from "../node/clock.ts";
import { nodeNet } from "../node/net.ts";
import { openStoreClient } from "./client.ts";
import { FrameReader } from "./frame-reader.ts";

const MIB = 1024 * 1024;

test("commits, snapshots, contents and conflicts through the socket are those of the VCS", async () => {
  await using it = await socketRig({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
  const client = await it.client();
  const landed = await client.commit(request({ by: 1, base: 1, files: { "a.txt": "A\n", "c/d.txt": "d\n" } }));
  const meets = await client.commit(request({ by: 2, base: 1, files: { "a.txt": "other\n" } }));
  const listed = unwrap(await client.list(), "list");
  const [file] = listed.files.filter(({ path }) => path === "c/d.txt");
  const parts: Uint8Array[] = [];
  const length = await client.blob(file?.blob ?? asBlobId(""), (part) => parts.push(part));
  expect({
    landed,
    meets,
    at: listed.at,
    paths: listed.files.map(({ path }) => path).sort(),
    content: [length, Buffer.concat(parts).toString()],
    old: await client.entry(asPath("c/d.txt"), asPosition(1)),
    head: await client.head(),
    conflicts: await client.conflicts(),
    paths0: unwrap(await client.conflict(asConflictId("c1")), "conflict").paths,
  }).toEqual({
    landed: { ok: true, value: { kind: "landed", position: 2, merged: [] } },
    meets: { ok: true, value: { kind: "conflict", position: 3, conflict: "c1", joined: false } },
    at: 3,
    paths: ["a.txt", "b.txt", "c/d.txt"],
    content: [{ ok: true, value: 2 }, "d\n"],
    old: { ok: true, value: { at: 1, entry: null } },
    head: {
      ok: true,
      value: {
        position: 3,
        imported: {
          source: { repository: "/repository", branch: "main", commit: "0".repeat(40), tree: "1".repeat(40) },
          object_format: "sha1",
          position: 1,
          tip: { commit: "0".repeat(40), tree: "1".repeat(40), position: 1 },
        },
        stopped: null,
      },
    },
    conflicts: {
      ok: true,
      value: {
        conflicts: [
          {
            id: "c1",
            state: "open",
            author: { agent: "a2", task: "t2" },
            head: 3,
            paths: 1,
            commits: 1,
            first_path: "a.txt",
          },
        ],
        next: null,
      },
    },
    paths0: it.rig.vcs
      .conflict(asConflictId("c1"))
      ?.paths.map(({ oursAuthor, ...sides }) => ({ ...sides, ours_author: oursAuthor })),
  });
});

test("what is not there is said in words, and the next request is answered", async () => {
  await using it = await socketRig();
  const client = await it.client();
  const missing = "f".repeat(40);
  expect([
    await client.list(asPosition(9)),
    await client.blob(asBlobId(missing), () => undefined),
    await client.conflict(asConflictId("c7")),
    (await client.head()).ok,
  ]).toEqual([
    {
      ok: false,
      error: { kind: "failed", failed: "not-found", message: "snapshot 9 does not exist: the head is at 1" },
    },
    { ok: false, error: { kind: "failed", failed: "not-found", message: `the store has no content ${missing}` } },
    { ok: false, error: { kind: "failed", failed: "not-found", message: "there is no conflict c7" } },
    true,
  ]);
});

test("S7 a connection lost between commit and answer: the client asks again and the commit is there once", async () => {
  await using it = await socketRig({ files: { f: "f\n" } });
  const client = await it.client(deafOnce());
  const committed = await client.commit(request({ by: 1, base: 1, key: "k", files: { f: "F\n" } }));
  const again = await client.commit(request({ by: 1, base: 1, key: "k", files: { f: "F\n" } }));
  const other = await client.commit(request({ by: 1, base: 1, key: "k", files: { f: "G\n" } }));
  expect([committed, again, other.ok && other.value.kind, (await recordsOf(it.rig)).length]).toEqual([
    { ok: true, value: { kind: "landed", position: 2, merged: [] } },
    { ok: true, value: { kind: "landed", position: 2, merged: [] } },
    "refused",
    2,
  ]);
});

test("S25 a file of 20 MiB is refused with its reason, a frame over the limit is passed over, and others commit on", async () => {
  await using it = await socketRig({ files: { f: "f\n" }, socket: { frameBytesMax: 24 * MIB } });
  const [client, other] = [await it.client(), await it.client()];
  const of = (mebibytes: number) => ({ text: new Uint8Array(mebibytes * MIB).fill(97), mode: "100644" as const });
  const answers = await Promise.all([
    client.commit(request({ by: 1, base: 1, files: { "big.bin": of(20) } })),
    client.commit(request({ by: 1, base: 1, files: { "huge.bin": of(25) } })),
    other.commit(request({ by: 2, base: 1, files: { f: "F\n" } })),
    client.commit(request({ by: 1, base: 1, files: { g: "G\n" } })),
  ]);
  expect([answers.map((answer) => (answer.ok ? answer.value.kind : answer)), await tree(it.rig)]).toEqual([
    ["refused", "refused", "landed", "landed"],
    { f: "F\n", g: "G\n" },
  ]);
  expect(answers.slice(0, 2)).toEqual([
    {
      ok: true,
      value: {
        kind: "refused",
        policy: "bytes",
        reason:
          "big.bin is 20.0 MiB large; files over 10.0 MiB are not committed. Remove it or add it to .gitignore, then commit the rest again.",
      },
    },
    {
      ok: true,
      value: {
        kind: "refused",
        policy: "bytes",
        reason:
          "The commit has 25.0 MiB in one frame; at most 24.0 MiB are taken. Split it into several commits, or leave out what is too large.",
      },
    },
  ]);
});

test("S30 a commit on top of one in conflict joins its object through the socket, one beside it lands", async () => {
  await using it = await socketRig({ files: { f: "f\n", g: "g\n" } });
  const client = await it.client();
  await client.commit(request({ by: 1, base: 1, files: { f: "one\n" } }));
  const meets = await client.commit(request({ by: 2, base: 1, files: { f: "two\n" } }));
  const joins = await client.commit(request({ by: 2, base: 1, files: { f: "two\nmore\n" } }));
  const beside = await client.commit(request({ by: 2, base: 1, files: { g: "G\n" } }));
  expect([meets, joins, beside].map((answer) => answer.ok && answer.value)).toEqual([
    { kind: "conflict", position: 3, conflict: "c1", joined: false },
    { kind: "conflict", position: 4, conflict: "c1", joined: true },
    { kind: "landed", position: 5, merged: [] },
  ]);
});

test("a content of many parts goes through without a frame of its size", async () => {
  await using it = await socketRig({ limits: { fileBytesMax: 64 * MIB } });
  const frames: number[] = [];
  const client = await it.client(watched(frames));
  const bytes = Buffer.alloc(24 * MIB);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.imul(at, 0x9e3779b1) >>> 0, at);
  const id = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const wish = request({ by: 1, base: 1, files: {} });
  const committed = await client.commit({
    ...wish,
    changes: [{ kind: "put", path: asPath("large.bin"), blob: asBlobId(id), mode: "100644" }],
    blobs: [{ id: asBlobId(id), bytes }],
  });
  const hash = createHash("sha256");
  const length = await client.blob(asBlobId(id), (part) => hash.update(part));
  expect({
    committed,
    length,
    same: hash.digest("hex"),
    largest: frames.reduce((a, b) => Math.max(a, b), 0) <= 256 * 1024 + 9,
  }).toEqual({
    committed: { ok: true, value: { kind: "landed", position: 2, merged: [] } },
    length: { ok: true, value: bytes.length },
    same: createHash("sha256").update(bytes).digest("hex"),
    largest: true,
  });
});

test("a small content does not wait for a large one of the same connection", async () => {
  await using it = await socketRig({ limits: { fileBytesMax: 64 * MIB } });
  const client = await it.client();
  const contents = [Buffer.alloc(24 * MIB, "large"), Buffer.from("small\n")];
  const blobs = contents.map((bytes) => ({
    id: asBlobId(createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")),
    bytes,
  }));
  const changes = blobs.map(({ id }, index) => {
    return { kind: "put", path: asPath(`f${index}`), blob: id, mode: "100644" } as const;
  });
  expect(await client.commit({ ...request({ by: 1, base: 1, files: {} }), changes, blobs })).toMatchObject({
    ok: true,
  });
  const ended: number[] = [];
  const read = async (index: number): Promise<string> => {
    const hash = createHash("sha1").update(`blob ${contents[index]?.length}\0`);
    unwrap(await client.blob(blobs[index]!.id, (part) => hash.update(part)), "blob");
    ended.push(index);
    return hash.digest("hex");
  };
  const ids = await Promise.all([read(0), read(1), read(0)]);
  expect({ ids, ended, load: it.server.load() }).toEqual({
    ids: [blobs[0]!.id, blobs[1]!.id, blobs[0]!.id],
    ended: [1, 0, 0],
    load: { connections: 1, requestBytes: 0, answerBytes: 0, unsentBytes: 0 },
  });
});

test("an upload that is not what its id says, or too large, is refused, and nothing of it stays", async () => {
  await using it = await socketRig();
  const client = await it.client();
  const id = asBlobId("a".repeat(40));
  expect([
    await client.upload(id, 6, () => [Buffer.from("abc"), Buffer.from("def")]),
    await client.upload(id, 3, () => [Buffer.from("abcdef")]),
    await client.upload(id, 11 * MIB, () => []),
    await client.blob(id, () => undefined),
  ]).toEqual([
    {
      ok: false,
      error: { kind: "failed", failed: "damaged", message: `the 6 bytes that came are not those of ${id}` },
    },
    {
      ok: false,
      error: { kind: "failed", failed: "bad-request", message: "more than the 3 bytes that were announced came" },
    },
    {
      ok: false,
      error: {
        kind: "failed",
        failed: "too-large",
        message: "a content of 11534336 bytes is over this store's limit of 10485760",
      },
    },
    { ok: false, error: { kind: "failed", failed: "not-found", message: `the store has no content ${id}` } },
  ]);
});

test("more requests at once than a connection may have open are all answered, in any number", async () => {
  await using it = await socketRig({ socket: { requestsOpenMax: 8 } });
  const client = await it.client();
  const commits = Array.from({ length: 300 }, (_, index) =>
    client.commit(request({ by: 1, base: 1, files: { [`f${index}`]: `${index}\n` } })),
  );
  const positions = (await Promise.all(commits)).map((answer) =>
    answer.ok && answer.value.kind === "landed" ? answer.value.position : answer,
  );
  expect(positions).toEqual(Array.from({ length: 300 }, (_, index) => index + 2));
  expect(it.server.load()).toEqual({ connections: 1, requestBytes: 0, answerBytes: 0, unsentBytes: 0 });
});

test("S21 when the disk refuses, the commit is refused with that reason, what was acknowledged stays and is read on", async () => {
  const log = memoryLog();
  await using it = await socketRig({ files: { f: "f\n" }, log });
  const client = await it.client();
  const first = await client.commit(request({ by: 1, base: 1, files: { f: "F\n" } }));
  log.failNext({ kind: "no-space", message: "the disk is full" });
  const refused = await client.commit(request({ by: 1, base: 2, files: { f: "G\n" } }));
  const later = await client.commit(request({ by: 1, base: 2, files: { g: "g\n" } }));
  const head = unwrap(await client.head(), "head");
  const listed = unwrap(await client.list(), "list");
  expect([first.ok, refused, later.ok, head.position, typeof head.stopped, listed.files.length]).toEqual([
    true,
    { ok: false, error: { kind: "failed", failed: "store", message: "the disk is full" } },
    false,
    2,
    "string",
    1,
  ]);
});

test("a server that stays away fails what is open, and says that a commit may have landed", async () => {
  const it = await socketRig();
  const client = await it.client();
  await it[Symbol.asyncDispose]();
  const answered = await client.head();
  expect(answered.ok ? "answered" : answered.error.kind).toBe("closed");
});

test("an author is who the client says it is", async () => {
  await using it = await socketRig();
  const client = await it.client();
  await client.commit({
    ...request({ by: 1, base: 1, files: { f: "F\n" } }),
    key: asCommitKey("mine"),
    author: { agent: asAgentId("agent-7"), task: asTaskId("task-9") },
    reason: "because",
  });
  const [, record] = await recordsOf(it.rig);
  expect(record?.data).toMatchObject({ author: { agent: "agent-7", task: "task-9" } });
});

/** The first connection hears the hello and nothing after it, and breaks when the first commit has been sent. */
function deafOnce(): Net {
  let isFirst = true;
  return {
    ...nodeNet,
    async connect(path) {
      const connected = await nodeNet.connect(path);
      if (!isFirst || !connected.ok) return connected;
      isFirst = false;
      const connection = connected.value;
      let isHello = true;
      const send = async (bytes: Uint8Array) => {
        const sent = await connection.send(bytes);
        if (isHello) isHello = false;
        else connection.close();
        return sent;
      };
      return { ok: true, value: { ...connection, send } };
    },
  };
}

/** Notes the length of every write, both ways. */
function watched(sizes: number[]): Net {
  const note = (chunk: Uint8Array): Uint8Array => {
    for (const [reader, bytes] of [[new FrameReader(), chunk]] as const) {
      reader.push(bytes);
      const step = reader.step();
      if (step.kind === "head") sizes.push(step.head.bytes);
    }
    return chunk;
  };
  return {
    ...nodeNet,
    async connect(path) {
      const connected = await nodeNet.connect(path);
      if (!connected.ok) return connected;
      const connection = connected.value;
      return { ok: true, value: { ...connection, send: (bytes) => connection.send(note(bytes)) } };
    },
  };
}

test("a client that looks for another store goes away", async () => {
  await using it = await socketRig();
  const open = (store: { readonly log: string; readonly directory: string }) =>
    openStoreClient({ net: nodeNet, clock: nodeClock, soon: setImmediate, path: it.path, patienceMs: 0, store });
  const mine = (await it.client()).server?.store ?? { log: "", directory: "" };
  const same = await open(mine);
  const [copy, other] = [await open({ ...mine, directory: "a copy of it" }), await open({ ...mine, log: "another" })];
  if (same.ok) same.value.close();
  const away = {
    ok: false,
    error: { kind: "other-store", message: "the server that listens there has another store open" },
  };
  expect([same.ok, copy, other]).toEqual([true, away, away]);
});

test("a path that UTF-8 cannot carry is refused, and does not become another", async () => {
  await using it = await socketRig();
  const client = await it.client();
  const outcome = await client.commit(request({ by: 1, base: 1, files: { "x\ud800": "1\n" } }));
  const reason = '"x\\ud800": it is not well-formed Unicode';
  expect([outcome, unwrap(await client.head(), "head").position]).toEqual([
    { ok: true, value: { kind: "refused", policy: "path", reason } },
    1,
  ]);
});
