// Contract of the Files port: what every file system under the product does, real or simulated.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { codeOf } from "./file-code.ts";
import { describeFileHandles } from "./host-file-handles.ts";
import { describeFileLinks } from "./host-file-links.ts";
import { bytes, freshHost, type MakeHost, text } from "./under-test.ts";

export function describeFiles(name: string, make: MakeHost): void {
  describe(`Files: ${name}`, () => {
    describeContents(make);
    describeModesAndCopies(make);
    describeDirectories(make);
    describeNames(make);
    describeRemovalAndStat(make);
  });
  describeFileHandles(name, make);
  describeFileLinks(name, make);
}

function describeContents(make: MakeHost): void {
  const sut = freshHost(make);

  test("a written file is read back, and a second write replaces it whole", async () => {
    const { host, directory } = sut();
    const path = `${directory}/a`;
    unwrap(await host.files.write(path, bytes("a longer first text")), "write");
    unwrap(await host.files.write(path, bytes("short")), "write");
    expect(text(unwrap(await host.files.read(path, 5), "read"))).toBe("short");
  });

  test("an empty file and bytes that are not text survive", async () => {
    const { host, directory } = sut();
    const odd = Uint8Array.of(0, 255, 128, 10, 13, 0);
    unwrap(await host.files.write(`${directory}/empty`, new Uint8Array()), "write");
    unwrap(await host.files.write(`${directory}/odd`, odd), "write");
    expect([
      await host.files.read(`${directory}/empty`, 0),
      await host.files.read(`${directory}/odd`, 100),
    ]).toStrictEqual([
      { ok: true, value: new Uint8Array() },
      { ok: true, value: odd },
    ]);
  });

  test("reading beyond the limit, a directory, or nothing has its own code", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/six`, bytes("123456")), "write");
    expect([
      await codeOf(host.files.read(`${directory}/six`, 5)),
      await codeOf(host.files.read(directory, 5)),
      await codeOf(host.files.read(`${directory}/none`, 5)),
      await codeOf(host.files.read(`${directory}/six/below`, 5)),
    ]).toEqual(["too-large", "is-directory", "not-found", "not-directory"]);
  });

  test("writing needs the parent directory and a path that is no directory", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/file`, bytes("x")), "write");
    expect([
      await codeOf(host.files.write(`${directory}/no/file`, bytes("x"))),
      await codeOf(host.files.write(directory, bytes("x"))),
      await codeOf(host.files.write(`${directory}/file/x`, bytes("x"))),
    ]).toEqual(["not-found", "is-directory", "not-directory"]);
  });

  test("an error names the path it is about", async () => {
    const { host, directory } = sut();
    const result = await host.files.read(`${directory}/none`, 5);
    expect(result).toEqual({
      ok: false,
      error: { kind: "file", code: "not-found", path: `${directory}/none`, message: expect.any(String) },
    });
  });
}

function describeModesAndCopies(make: MakeHost): void {
  const sut = freshHost(make);

  test("the execute bit is set, kept by a plain write, cleared, and copied", async () => {
    const { host, directory } = sut();
    const { files } = host;
    const isExecutable = async (name: string) => unwrap(await files.stat(`${directory}/${name}`), "stat").executable;
    unwrap(await files.write(`${directory}/a`, bytes("1"), { executable: true }), "write");
    unwrap(await files.write(`${directory}/a`, bytes("2")), "write");
    const kept = await isExecutable("a");
    unwrap(await files.copy(`${directory}/a`, `${directory}/same`), "copy");
    unwrap(await files.copy(`${directory}/a`, `${directory}/plain`, { executable: false }), "copy");
    unwrap(await files.setExecutable(`${directory}/a`, false), "clear");
    unwrap(await files.copy(`${directory}/a`, `${directory}/made`, { executable: true }), "copy");
    expect([
      kept,
      await isExecutable("a"),
      await isExecutable("same"),
      await isExecutable("plain"),
      await isExecutable("made"),
    ]).toEqual([true, false, true, false, true]);
  });

  test("a copy is independent of its source", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/from`, bytes("old")), "write");
    unwrap(await host.files.copy(`${directory}/from`, `${directory}/to`), "copy");
    unwrap(await host.files.write(`${directory}/from`, bytes("new")), "write");
    expect(text(unwrap(await host.files.read(`${directory}/to`, 10), "read"))).toBe("old");
  });

  test("a copy replaces a file, also onto itself, and a failed one leaves the target", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.write(`${directory}/from`, bytes("new")), "write");
    unwrap(await files.write(`${directory}/to`, bytes("a longer old text")), "write");
    const missing = await codeOf(files.copy(`${directory}/none`, `${directory}/to`));
    const before = text(unwrap(await files.read(`${directory}/to`, 100), "read"));
    unwrap(await files.copy(`${directory}/from`, `${directory}/to`), "copy");
    unwrap(await files.copy(`${directory}/to`, `${directory}/to`), "copy onto itself");
    expect({
      missing,
      before,
      after: text(unwrap(await files.read(`${directory}/to`, 100), "read")),
      names: unwrap(await files.list(directory, 10), "list").map((entry) => entry.name),
      ontoDirectory: await codeOf(files.copy(`${directory}/from`, directory)),
      ofDirectory: await codeOf(files.copy(directory, `${directory}/x`)),
    }).toEqual({
      missing: "not-found",
      before: "a longer old text",
      after: "new",
      names: ["from", "to"],
      ontoDirectory: "is-directory",
      ofDirectory: "is-directory",
    });
  });

  test("making private wants a file or directory that is there itself; what is made private is as usable as before", async () => {
    const { host, directory } = sut();
    const { files } = host;
    const at = (name: string) => `${directory}/${name}`;
    unwrap(await files.makeDirectory(at("a/b"), { private: true }), "make");
    unwrap(await files.write(at("a/file"), bytes("1"), { private: true }), "write");
    unwrap(await files.makeLink(at("a/file"), at("link")), "link");
    const codes = [];
    for (const name of ["a", "a/file", "link", "none"]) codes.push(await codeOf(files.makePrivate(at(name))));
    expect({
      codes,
      read: text(unwrap(await files.read(at("a/file"), 9), "read")),
      names: unwrap(await files.list(at("a"), 9), "list").map(({ name }) => name),
    }).toEqual({ codes: ["ok", "ok", "other", "not-found"], read: "1", names: ["b", "file"] });
  });

  test("ctime moves on with content and never with a plain read", async () => {
    const { host, directory, run } = sut();
    const path = `${directory}/a`;
    unwrap(await host.files.write(path, bytes("1")), "write");
    const first = unwrap(await host.files.stat(path), "stat").changedMs;
    await run(host.clock.sleep(20));
    unwrap(await host.files.read(path, 10), "read");
    const afterRead = unwrap(await host.files.stat(path), "stat").changedMs;
    unwrap(await host.files.write(path, bytes("2")), "write");
    const afterWrite = unwrap(await host.files.stat(path), "stat").changedMs;
    expect([afterRead === first, afterWrite > first]).toEqual([true, true]);
  });
}

function describeDirectories(make: MakeHost): void {
  const sut = freshHost(make);

  test("an empty directory is removed, and nothing else by the same call", async () => {
    const { host, directory } = sut();
    const { files } = host;
    for (const name of ["empty", "full", "full/below"])
      unwrap(await files.claimDirectory(`${directory}/${name}`), "make");
    unwrap(await files.write(`${directory}/file`, bytes("x")), "write");
    unwrap(await files.makeLink("empty", `${directory}/link`), "link");
    const codes: string[] = [];
    for (const name of ["full", "file", "link", "none", "empty"])
      codes.push(await codeOf(files.removeEmptyDirectory(`${directory}/${name}`)));
    const left = unwrap(await files.list(directory, 10), "list").map(({ name }) => name);
    expect({ codes, left }).toEqual({
      codes: ["not-empty", "not-directory", "not-directory", "not-found", "ok"],
      left: ["file", "full", "link"],
    });
  });

  test("directories: made with their parents, claimed once, listed in UTF-16 order", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.makeDirectory(`${directory}/b/c`), "make");
    unwrap(await files.makeDirectory(`${directory}/b/c`), "make again");
    const claims = [
      await codeOf(files.claimDirectory(`${directory}/lone`)),
      await codeOf(files.claimDirectory(`${directory}/lone`)),
      await codeOf(files.claimDirectory(`${directory}/no/lone`)),
    ];
    // U+FF5E is one UTF-16 unit above the surrogates of U+1F600: code-point order would put it first.
    for (const name of ["\uff5e", "\u{1f600}", "a", "B", "ä"])
      unwrap(await files.write(`${directory}/${name}`, bytes("")), "write");
    expect({ claims, entries: unwrap(await files.list(directory, 7), "list") }).toEqual({
      claims: ["ok", "exists", "not-found"],
      entries: [
        { name: "B", kind: "file" },
        { name: "a", kind: "file" },
        { name: "b", kind: "directory" },
        { name: "lone", kind: "directory" },
        { name: "ä", kind: "file" },
        { name: "\u{1f600}", kind: "file" },
        { name: "\uff5e", kind: "file" },
      ],
    });
  });

  test("listing has a limit and wants a directory; a file is never turned into one", async () => {
    const { host, directory } = sut();
    const { files } = host;
    for (const name of ["1", "2", "3"]) unwrap(await files.write(`${directory}/${name}`, bytes("")), "write");
    expect([
      await codeOf(files.list(directory, 3)),
      await codeOf(files.list(directory, 2)),
      await codeOf(files.list(`${directory}/1`, 9)),
      await codeOf(files.list(`${directory}/none`, 9)),
      await codeOf(files.makeDirectory(`${directory}/1`)),
      await codeOf(files.makeDirectory(`${directory}/1/below`)),
    ]).toEqual(["ok", "too-large", "not-directory", "not-found", "exists", "not-directory"]);
  });
}

function describeNames(make: MakeHost): void {
  const sut = freshHost(make);

  test("names of 255 bytes, with newline, quotes, spaces and backslash are plain names; 256 bytes are refused", async () => {
    const { host, directory } = sut();
    const names = ["n".repeat(255), "a\nb \"c\" 'd' \\e", "-rf", " ", "…"].sort();
    for (const name of names) {
      unwrap(await host.files.write(`${directory}/${name}`, bytes("x")), "write");
      unwrap(await host.files.copy(`${directory}/${name}`, `${directory}/${name}`), "copy");
    }
    expect({
      names: unwrap(await host.files.list(directory, 10), "list").map((entry) => entry.name),
      tooLong: await codeOf(host.files.write(`${directory}/${"n".repeat(256)}`, bytes("x"))),
    }).toEqual({ names, tooLong: "other" });
  });

  test("rename replaces a file, moves a tree, and refuses a full directory", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.write(`${directory}/a`, bytes("a")), "write");
    unwrap(await files.write(`${directory}/b`, bytes("b")), "write");
    unwrap(await files.rename(`${directory}/a`, `${directory}/b`), "rename");
    unwrap(await files.makeDirectory(`${directory}/d/e`), "make");
    unwrap(await files.rename(`${directory}/d`, `${directory}/moved`), "rename");
    unwrap(await files.makeDirectory(`${directory}/plain`), "make");
    expect({
      content: text(unwrap(await files.read(`${directory}/b`, 9), "read")),
      names: unwrap(await files.list(directory, 9), "list").map((entry) => entry.name),
      below: unwrap(await files.list(`${directory}/moved`, 9), "list"),
      codes: [
        await codeOf(files.rename(`${directory}/a`, `${directory}/c`)),
        await codeOf(files.rename(`${directory}/plain`, `${directory}/moved`)),
        await codeOf(files.rename(`${directory}/b`, `${directory}/plain`)),
        await codeOf(files.rename(`${directory}/plain`, `${directory}/b`)),
      ],
    }).toEqual({
      content: "a",
      names: ["b", "moved", "plain"],
      below: [{ name: "e", kind: "directory" }],
      codes: ["not-found", "not-empty", "is-directory", "not-directory"],
    });
  });
}

function describeRemovalAndStat(make: MakeHost): void {
  const sut = freshHost(make);

  test("remove takes a file or a tree; what is missing is fine", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.makeDirectory(`${directory}/d/e/f`), "make");
    unwrap(await files.write(`${directory}/d/e/x`, bytes("x")), "write");
    unwrap(await files.write(`${directory}/file`, bytes("x")), "write");
    const codes = [
      await codeOf(files.remove(`${directory}/file/below`)),
      await codeOf(files.remove(`${directory}/d`)),
      await codeOf(files.remove(`${directory}/file`)),
      await codeOf(files.remove(`${directory}/file`)),
      await codeOf(files.remove(`${directory}/no/where`)),
    ];
    expect({ codes, left: unwrap(await files.list(directory, 9), "list") }).toEqual({
      codes: ["ok", "ok", "ok", "ok", "ok"],
      left: [],
    });
  });

  test("syncDirectory wants a directory", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/a`, bytes("1")), "write");
    expect([
      await codeOf(host.files.syncDirectory(directory)),
      await codeOf(host.files.syncDirectory(`${directory}/a`)),
      await codeOf(host.files.syncDirectory(`${directory}/none`)),
    ]).toEqual(["ok", "not-directory", "not-found"]);
  });

  test("stat says kind and size of what is there itself", async () => {
    const { host, directory } = sut();
    unwrap(await host.files.write(`${directory}/a`, bytes("12345")), "write");
    const file = unwrap(await host.files.stat(`${directory}/a`), "stat");
    const tree = unwrap(await host.files.stat(directory), "stat");
    expect([file, tree.kind, await codeOf(host.files.stat(`${directory}/none`))]).toEqual([
      { kind: "file", size: 5, executable: false, changedMs: expect.any(Number) },
      "directory",
      "not-found",
    ]);
  });
}
