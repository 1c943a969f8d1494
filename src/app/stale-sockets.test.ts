// What dead coordinators left in the temporary directory goes; everything else there stays.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { simHost } from "../testing/sim/host.ts";
import { removeStaleSockets } from "./stale-sockets.ts";

const hourMs = 60 * 60_000;

test("only our own directories, and only of the dead", async () => {
  const host = simHost({ seed: 1 });
  const surroundings = {
    host,
    env: {},
    cwd: "/",
    processId: 1,
    platform: "linux",
    packageRoot: "/",
    nodePath: "/node",
    workerHost: [],
    temporaryDirectory: "/tmp",
  };
  const make = async (name: string) => unwrap(await host.files.makeDirectory(`/tmp/${name}`), name);
  await make("skein-oldempty2222");
  await host.run(host.clock.sleep(1.1 * hourMs));
  for (const name of ["dead22222222", "live22222222", "other2222222", "beginning222"]) await make(`skein-${name}`);
  await make("skein-demo-abcdefgh");
  unwrap(await host.files.write("/tmp/skein-other2222222/coordinator", new Uint8Array()), "write");
  unwrap(await host.files.write("/tmp/skein-other2222222/mine.txt", new Uint8Array()), "write");
  const other = host.newProcess();
  const listener = (name: string) => other.net.listen(`/tmp/skein-${name}/coordinator`, (it) => it.close());
  unwrap(await listener("dead22222222"), "listen");
  other.kill();
  const living = host.newProcess();
  unwrap(await living.net.listen("/tmp/skein-live22222222/coordinator", (it) => it.close()), "listen");

  await host.run(removeStaleSockets(surroundings));
  const left = unwrap(await host.files.list("/tmp", 10), "list").map(({ name }) => name);
  expect(left).toEqual(["skein-beginning222", "skein-demo-abcdefgh", "skein-live22222222", "skein-other2222222"]);
});
