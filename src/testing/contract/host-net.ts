// Contract of the Net port: bytes in order both ways, ends seen by both sides, and clear refusals.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import type { Connection, Listener } from "../../host/net.ts";
import { bytes, collect, freshHost, type HostUnderTest, type MakeHost, pattern, text } from "./under-test.ts";

interface Pair {
  readonly listener: Listener;
  readonly client: Connection;
  readonly server: Connection;
}

export function describeNet(name: string, make: MakeHost): void {
  describe(`Net: ${name}`, () => {
    describeConnections(make);
    describeClosing(make);
    describeListening(make);
  });
}

async function pairOf({ host, directory }: HostUnderTest): Promise<Pair> {
  const path = `${directory}/socket`;
  const { promise, resolve } = Promise.withResolvers<Connection>();
  const listener = unwrap(await host.net.listen(path, resolve), "listen");
  const client = unwrap(await host.net.connect(path), "connect");
  return { listener, client, server: await promise };
}

function describeConnections(make: MakeHost): void {
  const sut = freshHost(make);

  test("bytes arrive whole and in order in both directions; the close ends them", async () => {
    const { run } = sut();
    const whole = pattern(1_000_000);
    const result = await run(
      (async () => {
        const { listener, client, server } = await pairOf(sut());
        const received = [collect(client.bytes), collect(server.bytes)];
        const sent = await Promise.all([
          ...[0, 1, 2, 3].map((part) => client.send(whole.subarray(part * 250_000, (part + 1) * 250_000))),
          server.send(bytes("hello ")),
          server.send(bytes("there")),
        ]);
        client.close();
        const [atClient, atServer] = await Promise.all(received);
        await Promise.all([client.closed, server.closed]);
        await listener.close();
        return { sent, atClient, atServer };
      })(),
    );
    expect(result.sent).toEqual(Array(6).fill(true));
    expect(Buffer.compare(result.atServer ?? new Uint8Array(), whole)).toBe(0);
    expect("hello there".startsWith(text(result.atClient ?? new Uint8Array()))).toBe(true);
  });
}

function describeClosing(make: MakeHost): void {
  const sut = freshHost(make);

  test("what was sent before a close still arrives, however late it is read", async () => {
    const { host, run } = sut();
    const received = await run(
      (async () => {
        const { listener, client, server } = await pairOf(sut());
        await server.send(bytes("last words"));
        server.close();
        await host.clock.sleep(20);
        const last = await collect(client.bytes);
        await client.closed;
        await listener.close();
        return text(last);
      })(),
    );
    expect(received).toBe("last words");
  });

  test("sending into a closed connection answers false on both sides", async () => {
    const { run } = sut();
    const answers = await run(
      (async () => {
        const { listener, client, server } = await pairOf(sut());
        client.close();
        client.close();
        await Promise.all([client.closed, server.closed]);
        await listener.close();
        return [await client.send(bytes("x")), await server.send(bytes("x"))];
      })(),
    );
    expect(answers).toEqual([false, false]);
  });

  test("a peer that does not read holds the sender back, and gets everything once it does", async () => {
    const { host, run } = sut();
    const whole = pattern(8_000_000);
    const result = await run(
      (async () => {
        const { listener, client, server } = await pairOf(sut());
        let done = false;
        const sending = client.send(whole).then((answer) => {
          done = true;
          return answer;
        });
        await host.clock.sleep(50);
        const doneUnread = done;
        const received = collect(server.bytes);
        const sent = await sending;
        client.close();
        const difference = Buffer.compare(await received, whole);
        await listener.close();
        return { doneUnread, sent, difference };
      })(),
    );
    expect(result).toEqual({ doneUnread: false, sent: true, difference: 0 });
  });
}

function describeListening(make: MakeHost): void {
  const sut = freshHost(make);

  test("nobody there, an occupied path and a path beyond the limit are told apart", async () => {
    const { host, directory, run } = sut();
    const long = `${directory}/${"s".repeat(108)}`;
    const codes = await run(
      (async () => {
        const nobody = await host.net.connect(`${directory}/socket`);
        const listener = unwrap(
          await host.net.listen(`${directory}/socket`, (connection) => connection.close()),
          "listen",
        );
        const second = await host.net.listen(`${directory}/socket`, () => undefined);
        unwrap(await host.files.write(`${directory}/file`, bytes("precious")), "write");
        const onFile = await host.net.listen(`${directory}/file`, () => undefined);
        const tooLong = [await host.net.listen(long, () => undefined), await host.net.connect(long)];
        await listener.close();
        return [nobody, second, onFile, ...tooLong].map((result) => (result.ok ? "ok" : result.error.code));
      })(),
    );
    expect([codes, text(unwrap(await host.files.read(`${directory}/file`, 9), "read"))]).toEqual([
      ["not-found", "in-use", "in-use", "other", "other"],
      "precious",
    ]);
  });

  test("a closed listener frees its path and leaves open connections alone", async () => {
    const { host, directory, run } = sut();
    const result = await run(
      (async () => {
        const { listener, client, server } = await pairOf(sut());
        await listener.close();
        await listener.close();
        const refused = await host.net.connect(`${directory}/socket`);
        const again = unwrap(await host.net.listen(`${directory}/socket`, () => undefined), "listen again");
        await server.send(bytes("still here"));
        server.close();
        const received = text(await collect(client.bytes));
        await again.close();
        return { refused: refused.ok ? "ok" : refused.error.code, received };
      })(),
    );
    expect(result).toEqual({ refused: "not-found", received: "still here" });
  });
}
