// Contract of the Files port about symlinks: followed by `read` and `write`, and by nothing that removes, copies onto or changes a mode.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { codeOf } from "./file-code.ts";
import { bytes, freshHost, type MakeHost, text } from "./under-test.ts";

export function describeFileLinks(name: string, make: MakeHost): void {
  describe(`Files, symlinks: ${name}`, () => {
    describeFollowing(make);
    describeNotFollowing(make);
  });
}

function describeFollowing(make: MakeHost): void {
  const sut = freshHost(make);

  test("a link keeps its text, and is told from its target", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.makeLink("../some where/else", `${directory}/link`), "link");
    expect([
      await files.readLink(`${directory}/link`),
      unwrap(await files.stat(`${directory}/link`), "stat").kind,
      unwrap(await files.list(directory, 9), "list"),
      await codeOf(files.makeLink("x", `${directory}/link`)),
      await codeOf(files.readLink(`${directory}/none`)),
      await codeOf(files.readLink(directory)),
      await codeOf(files.read(`${directory}/link`, 9)),
    ]).toEqual([
      { ok: true, value: "../some where/else" },
      "symlink",
      [{ name: "link", kind: "symlink" }],
      "exists",
      "not-found",
      "other",
      "not-found",
    ]);
  });

  test("read, write and directories in the middle of a path follow links, relative and absolute", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.makeDirectory(`${directory}/d/e`), "make");
    unwrap(await files.makeLink("d/e", `${directory}/relative`), "link");
    unwrap(await files.makeLink(`${directory}/relative/file`, `${directory}/absolute`), "link");
    unwrap(await files.write(`${directory}/absolute`, bytes("through two")), "write");
    expect([
      text(unwrap(await files.read(`${directory}/d/e/file`, 99), "read")),
      text(unwrap(await files.read(`${directory}/relative/../e/file`, 99), "read")),
      unwrap(await files.stat(`${directory}/absolute`), "stat").kind,
      unwrap(await files.stat(`${directory}/relative/file`), "stat").kind,
    ]).toEqual(["through two", "through two", "symlink", "file"]);
  });

  test("realPath resolves every link; a missing part and a ring of links are errors", async () => {
    const { host, directory } = sut();
    const { files } = host;
    const root = unwrap(await files.realPath(directory), "real path");
    unwrap(await files.makeDirectory(`${directory}/d`), "make");
    unwrap(await files.makeLink("d", `${directory}/l`), "link");
    unwrap(await files.makeLink("ring", `${directory}/ring`), "link");
    expect([
      await files.realPath(`${directory}/l/../l`),
      await codeOf(files.realPath(`${directory}/l/none`)),
      await codeOf(files.realPath(`${directory}/ring`)),
      await codeOf(files.read(`${directory}/ring`, 9)),
    ]).toEqual([{ ok: true, value: `${root}/d` }, "not-found", "other", "other"]);
  });

  test("identity is the same by every name, also after a rename, and another one for a copy", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.makeDirectory(`${directory}/d`), "make");
    unwrap(await files.makeDirectory(`${directory}/copy`), "make");
    unwrap(await files.makeLink("d", `${directory}/l`), "link");
    const of = async (name: string) => unwrap(await files.identity(`${directory}/${name}`), "identity");
    const [first, linked, copied] = [await of("d"), await of("l"), await of("copy")];
    unwrap(await files.rename(`${directory}/d`, `${directory}/moved`), "rename");
    expect({
      linked: linked === first,
      moved: (await of("moved")) === first,
      copied: copied === first,
      missing: await codeOf(files.identity(`${directory}/d`)),
    }).toEqual({ linked: true, moved: true, copied: false, missing: "not-found" });
  });
}

function describeNotFollowing(make: MakeHost): void {
  const sut = freshHost(make);

  test("copy replaces a link at its target and never writes through it, dangling or not", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.write(`${directory}/precious`, bytes("precious")), "write");
    unwrap(await files.write(`${directory}/from`, bytes("copied")), "write");
    unwrap(await files.makeLink("precious", `${directory}/link`), "link");
    unwrap(await files.makeLink("nowhere", `${directory}/dangling`), "link");
    unwrap(await files.copy(`${directory}/from`, `${directory}/link`), "copy");
    unwrap(await files.copy(`${directory}/from`, `${directory}/dangling`), "copy");
    expect({
      precious: text(unwrap(await files.read(`${directory}/precious`, 99), "read")),
      link: text(unwrap(await files.read(`${directory}/link`, 99), "read")),
      entries: unwrap(await files.list(directory, 9), "list"),
    }).toEqual({
      precious: "precious",
      link: "copied",
      entries: ["dangling", "from", "link", "precious"].map((name) => ({ name, kind: "file" })),
    });
  });

  test("remove takes the link, alone or inside a tree, and never what it points to", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.makeDirectory(`${directory}/kept`), "make");
    unwrap(await files.write(`${directory}/kept/file`, bytes("kept")), "write");
    unwrap(await files.makeDirectory(`${directory}/tree`), "make");
    unwrap(await files.makeLink("../kept", `${directory}/tree/inside`), "link");
    unwrap(await files.makeLink("kept", `${directory}/alone`), "link");
    unwrap(await files.remove(`${directory}/tree`), "remove");
    unwrap(await files.remove(`${directory}/alone`), "remove");
    expect([
      unwrap(await files.list(directory, 9), "list"),
      text(unwrap(await files.read(`${directory}/kept/file`, 9), "read")),
    ]).toEqual([[{ name: "kept", kind: "directory" }], "kept"]);
  });

  test("rename moves and replaces the link itself; setExecutable refuses one", async () => {
    const { host, directory } = sut();
    const { files } = host;
    unwrap(await files.write(`${directory}/target`, bytes("t")), "write");
    unwrap(await files.makeLink("target", `${directory}/link`), "link");
    const refused = await codeOf(files.setExecutable(`${directory}/link`, true));
    unwrap(await files.rename(`${directory}/link`, `${directory}/moved`), "rename");
    unwrap(await files.write(`${directory}/new`, bytes("n")), "write");
    unwrap(await files.rename(`${directory}/new`, `${directory}/moved`), "rename");
    expect([
      refused,
      unwrap(await files.stat(`${directory}/target`), "stat").executable,
      text(unwrap(await files.read(`${directory}/target`, 9), "read")),
      unwrap(await files.list(directory, 9), "list"),
    ]).toEqual([
      "other",
      false,
      "t",
      [
        { name: "moved", kind: "file" },
        { name: "target", kind: "file" },
      ],
    ]);
  });
}
