// What a store's server bears: strangers, nonsense, readers that take nothing. Nothing of it costs anybody else.

import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { framesOf, hello } from "../../testing/socket/raw-frames.ts";
import { socketRig } from "../../testing/socket/socket-rig.ts";
import { asPath, request } from "../../testing/vcs/vcs-rig.ts";
import { FRAME, packFrame, rawFrame, unpackBody } from "./frame.ts";
import { socketName, socketProtocol } from "./messages.ts";

const MIB = 1024 * 1024;

test("a reader that takes nothing costs a bounded amount, and gets all of it when it reads", async () => {
  const socket = { unsentBytesMax: 64 * 1024, partBytes: 16 * 1024, requestsOpenMax: 16 };
  await using it = await socketRig({ files: { big: "x".repeat(2 * MIB) }, socket });
  const client = await it.client();
  const blob = unwrap(await client.entry(asPath("big")), "entry").entry?.blob;
  const slow = await it.raw();
  await slow.send(hello());
  const asked = 40;
  for (let id = 1; id <= asked; id += 1)
    void slow.send(packFrame(FRAME.ask, id, { kind: "blob", id: blob, offset: 0 }));
  // Others are served while the slow one's answers wait.
  for (let index = 0; index < 20; index += 1)
    await client.commit(request({ by: 1, base: 1, files: { [`f${index}`]: "f" } }));
  const { unsentBytes, answerBytes } = it.server.load();
  expect([
    unsentBytes <= socket.unsentBytesMax + 2 * socket.partBytes,
    answerBytes <= 2 * MIB,
    answerBytes > 0,
  ]).toEqual([true, true, true]);
  const seen = { bytes: 0, ends: 0 };
  for await (const { kind, body } of framesOf(slow)) {
    if (kind === FRAME.part && body.length !== 8) seen.bytes += body.length;
    if (kind === FRAME.answer) seen.ends += 1;
    if (seen.ends === asked) break;
  }
  expect(seen).toEqual({ bytes: asked * 2 * MIB, ends: asked });
});

const strangers: readonly (readonly [string, Uint8Array, string])[] = [
  [
    "an HTTP request",
    Buffer.from("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"),
    "this is the socket of a skein store, and what came is not its protocol",
  ],
  [
    "a hello of something else",
    packFrame(FRAME.hello, 0, { socket: "other", protocol: 1 }),
    "this is the socket of a skein store, and what came is not its protocol",
  ],
  [
    "a hello of another version",
    packFrame(FRAME.hello, 0, { socket: socketName, protocol: 99 }),
    `the server speaks protocol ${socketProtocol}, the client 99: use one version of skein for both`,
  ],
  [
    "a request before the hello",
    packFrame(FRAME.ask, 1, { kind: "head" }),
    "this is the socket of a skein store, and what came is not its protocol",
  ],
  [
    "a frame that no client sends",
    Buffer.concat([hello(), rawFrame(FRAME.bye, 0, [])]),
    "a frame of kind 6 is not a client's to send",
  ],
];

test.each(strangers)("%s is told why and closed, alone", async (_name, sent, reason) => {
  await using it = await socketRig();
  const client = await it.client();
  const stranger = await it.raw();
  await stranger.send(sent);
  const said: unknown[] = [];
  for await (const { kind, body } of framesOf(stranger))
    if (kind === FRAME.bye) said.push(unwrap(unpackBody(body), "bye"));
  const landed = await client.commit(request({ by: 1, base: 1, files: { f: "F\n" } }));
  expect([said, landed.ok && landed.value.kind, it.server.load().connections]).toEqual([[{ reason }], "landed", 1]);
});

test("a request that makes no sense is answered so, and the connection goes on", async () => {
  await using it = await socketRig();
  const connection = await it.raw();
  await connection.send(
    Buffer.concat([
      hello(),
      rawFrame(FRAME.ask, 1, [Buffer.from([0x92, 1])]),
      packFrame(FRAME.ask, 2, { kind: "no such thing" }),
      rawFrame(FRAME.commit, 3, [Buffer.from("??")]),
      packFrame(FRAME.ask, 4, { kind: "conflicts", after: 0, open_only: false }),
    ]),
  );
  const said = new Map<number, unknown>();
  for await (const { kind, id, body } of framesOf(connection)) {
    if (kind === FRAME.answer) said.set(id, unwrap(unpackBody(body), "answer"));
    if (said.size === 4) break;
  }
  expect(Object.fromEntries(said)).toEqual({
    1: { failed: "bad-request", message: "a request is not msgpack" },
    2: {
      failed: "bad-request",
      message:
        "request.kind: expected head | list | entry | blob | history | contents | upload | log | watch | undo | conflicts | conflict | stats | gc | fsck | import",
    },
    3: { failed: "bad-request", message: "a commit's frame is too short" },
    4: { conflicts: [], next: null },
  });
});

test("connections beyond the limit are turned away with the reason", async () => {
  await using it = await socketRig({ socket: { connectionsMax: 1 } });
  await it.client();
  await expect(it.client()).rejects.toThrow("the server has 1 connections, which is its limit: try again later");
});
