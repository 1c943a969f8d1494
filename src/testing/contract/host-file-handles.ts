// Contract of FileHandle: appends in order, reads by offset, and what becomes of a handle whose name moved or went.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { codeOf } from "./file-code.ts";
import { bytes, freshHost, type MakeHost, pattern, text } from "./under-test.ts";

export function describeFileHandles(name: string, make: MakeHost): void {
  describe(`FileHandle: ${name}`, () => {
    describeOpening(make);
    describeUse(make);
    describeFileBehindHandle(make);
  });
}

function describeOpening(make: MakeHost): void {
  const sut = freshHost(make);

  test("append creates or continues, create refuses an existing file, read wants one", async () => {
    const { host, directory } = sut();
    const path = `${directory}/a`;
    const codes: string[] = [];
    for (const mode of ["read", "append", "create", "append", "read"] as const) {
      const opened = await host.files.open(path, mode);
      codes.push(opened.ok ? "ok" : opened.error.code);
      if (opened.ok) unwrap(await opened.value.close(), "close");
    }
    codes.push(await codeOf(host.files.open(directory, "read")));
    codes.push(await codeOf(host.files.open(`${directory}/no/a`, "append")));
    expect(codes).toEqual(["not-found", "ok", "exists", "ok", "ok", "is-directory", "not-found"]);
  });

  test("an append handle of an existing file starts at its end", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/a`, bytes("old,")), "write");
    const handle = unwrap(await host.files.open(`${directory}/a`, "append"), "open");
    unwrap(await handle.append([bytes("new")]), "append");
    unwrap(await handle.close(), "close");
    expect(text(unwrap(await host.files.read(`${directory}/a`, 99), "read"))).toBe("old,new");
  });

  test("a handle opened as durable appends in order, and syncs and truncates as any other", async () => {
    const { host, directory } = sut();
    const path = `${directory}/a`;
    const handle = unwrap(await host.files.open(path, "create", { durable: true }), "open");
    const answers = await Promise.all([
      handle.append([bytes("one,"), bytes("two,")]),
      handle.append([bytes("three")]),
      handle.sync(),
      handle.truncate(8),
      handle.append([bytes("four")]),
      handle.close(),
    ]);
    expect([answers.every(({ ok }) => ok), text(unwrap(await host.files.read(path, 99), "read"))]).toEqual([
      true,
      "one,two,four",
    ]);
  });

  test("a read handle does not write, and a closed handle does nothing", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/a`, bytes("x")), "write");
    const reader = unwrap(await host.files.open(`${directory}/a`, "read"), "open");
    const refused = [await codeOf(reader.append([bytes("y")])), await codeOf(reader.close())];
    const closed = [
      await codeOf(reader.read(0, 1)),
      await codeOf(reader.size()),
      await codeOf(reader.sync()),
      await codeOf(reader.close()),
    ];
    expect({ refused, closed, content: text(unwrap(await host.files.read(`${directory}/a`, 9), "read")) }).toEqual({
      refused: ["other", "ok"],
      closed: ["other", "other", "other", "ok"],
      content: "x",
    });
  });
}

function describeUse(make: MakeHost): void {
  const sut = freshHost(make);

  test("chunks of one append and appends that were not awaited stay in order", async () => {
    const { host, directory } = sut();
    const handle = unwrap(await host.files.open(`${directory}/a`, "create"), "open");
    const results = await Promise.all([
      handle.append([bytes("1"), bytes(""), bytes("2")]),
      handle.append([bytes("3")]),
      handle.append([]),
      handle.sync(),
      handle.append([bytes("4")]),
      handle.close(),
    ]);
    expect({
      ok: results.every((result) => result.ok),
      content: text(unwrap(await host.files.read(`${directory}/a`, 9), "read")),
    }).toEqual({
      ok: true,
      content: "1234",
    });
  });

  test("more chunks than one system call takes, and a large one, arrive whole", async () => {
    const { host, directory } = sut();
    const whole = pattern(3_000_000);
    const chunks = Array.from({ length: 3000 }, (_, index) => whole.subarray(index * 1000, (index + 1) * 1000));
    const handle = unwrap(await host.files.open(`${directory}/a`, "append"), "open");
    unwrap(await handle.append(chunks), "append");
    unwrap(await handle.append([whole]), "append");
    const size = unwrap(await handle.size(), "size");
    const halves = [
      unwrap(await handle.read(0, 3_000_000), "read"),
      unwrap(await handle.read(3_000_000, 3_000_000), "read"),
    ];
    unwrap(await handle.close(), "close");
    expect([size, halves.map((half) => Buffer.compare(half, whole))]).toEqual([6_000_000, [0, 0]]);
  });

  test("a read is short only at the end of the file", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/a`, bytes("0123456789")), "write");
    const handle = unwrap(await host.files.open(`${directory}/a`, "read"), "open");
    const parts = [
      await handle.read(2, 3),
      await handle.read(8, 5),
      await handle.read(10, 5),
      await handle.read(50, 5),
    ];
    unwrap(await handle.close(), "close");
    expect(parts).toStrictEqual(["234", "89", "", ""].map((part) => ({ ok: true, value: bytes(part) })));
  });
}

function describeFileBehindHandle(make: MakeHost): void {
  const sut = freshHost(make);

  test("truncate cuts, and the next append continues at the cut", async () => {
    const { host, directory } = sut();
    const handle = unwrap(await host.files.open(`${directory}/a`, "append"), "open");
    unwrap(await handle.append([bytes("0123456789")]), "append");
    unwrap(await handle.truncate(4), "truncate");
    unwrap(await handle.append([bytes("x")]), "append");
    const grown = unwrap(await handle.truncate(7), "grow");
    unwrap(await handle.close(), "close");
    expect([grown, text(unwrap(await host.files.read(`${directory}/a`, 99), "read"))]).toEqual([
      undefined,
      "0123x\0\0",
    ]);
  });

  test("a handle follows its file through a rename and outlives its name", async () => {
    const { host, directory } = sut();
    const handle = unwrap(await host.files.open(`${directory}/a`, "append"), "open");
    unwrap(await handle.append([bytes("1")]), "append");
    unwrap(await host.files.rename(`${directory}/a`, `${directory}/b`), "rename");
    unwrap(await handle.append([bytes("2")]), "append");
    const renamed = text(unwrap(await host.files.read(`${directory}/b`, 9), "read"));
    unwrap(await host.files.remove(`${directory}/b`), "remove");
    unwrap(await handle.append([bytes("3")]), "append");
    const kept = text(unwrap(await handle.read(0, 9), "read"));
    unwrap(await handle.close(), "close");
    expect([renamed, kept, unwrap(await host.files.list(directory, 9), "list")]).toEqual(["12", "123", []]);
  });
}
