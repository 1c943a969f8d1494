// A store's server that is killed with `kill -9` under load and started again: what its clients were told is compared with what the
// next reader finds. The clients' own notes are the right values; `fsck` checks the rest.

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nodeClock } from "../../src/adapters/node/clock.ts";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { openStoreClient, type StoreClient } from "../../src/adapters/socket/client.ts";
import { checkStore } from "../../src/app/store-fsck.ts";
import { openVcsView } from "../../src/app/vcs-store.ts";
import { asAgentId, asCommitKey, asPosition, asTaskId, type RepoPath } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import { blobIdOf } from "../../src/log/blob-id.ts";
import { seededRandom } from "../../src/testing/sim/random.ts";
import type { CommitRequest } from "../../src/vcs/types.ts";
import { sandbox } from "./sandbox.ts";
import { eventually, type Started, skein, startSkein } from "./skein.ts";

export interface KilledServer {
  readonly rounds: number;
  readonly acknowledged: number;
  /** Sentences about what is not as it must be. */
  readonly faults: readonly string[];
}

/** One commit as a client made it: two files that must stand together, or not at all. */
interface Made {
  readonly request: CommitRequest;
  /** Where it landed, as the client was told; null while it was not. */
  position: number | null;
}

const writers = 8;
const killAfterMsMax = 120;

export async function killedServer(seed: number, rounds: number): Promise<KilledServer> {
  using place = sandbox();
  const random = seededRandom(seed, "kills");
  const directory = join(place.root, "store");
  await skein(place, { args: ["vcs", "init", "--store", directory, "--empty"] });
  const made: Made[] = [];
  const faults: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const server = startSkein(place, { args: ["serve", "--store", directory, "--json"] });
    const client = await connected(server);
    // Who got no answer asks again, under the same key.
    for (const open of made.filter(({ position }) => position === null)) await ask(client, open, faults);
    const loads = Array.from({ length: writers }, (_, writer) => writeOn(client, { seed, round, writer }, made));
    await delay(random.unit() * killAfterMsMax);
    server.kill("SIGKILL");
    client.close();
    await Promise.all(loads);
    await server.ended;
    faults.push(...(await compare(directory, made, `round ${round}`)));
  }
  return { rounds, acknowledged: made.filter(({ position }) => position !== null).length, faults };
}

async function connected(server: Started): Promise<StoreClient> {
  let said = "";
  server.child.stdout?.on("data", (text: string) => {
    said += text;
  });
  const line = await eventually("the server listens", () => (said.includes("\n") ? said : null));
  const { socket } = JSON.parse(line) as { socket: string };
  const { net } = nodeHost();
  const options = { net, clock: nodeClock, soon: setImmediate, path: socket, patienceMs: 0 };
  return unwrap(await openStoreClient(options), "connect");
}

/** Commits until the server is gone. */
async function writeOn(
  client: StoreClient,
  { seed, round, writer }: { readonly seed: number; readonly round: number; readonly writer: number },
  made: Made[],
): Promise<void> {
  for (let number = 0; ; number += 1) {
    const name = `${seed}-${round}-${writer}-${number}`;
    const blobs = ["a", "b"].map((part) => {
      const bytes = Buffer.from(`${part} of ${name}\n`.repeat(1 + (number % 40)));
      return { id: blobIdOf(bytes, "sha1"), bytes };
    });
    const changes = blobs.map(({ id }, index) => {
      const path = `w${writer}/${index === 0 ? "a" : "b"}` as RepoPath;
      return { kind: "put", path, blob: id, mode: "100644" } as const;
    });
    const author = { agent: asAgentId(`w${writer}`), task: asTaskId(name) };
    const last = made.findLast(({ request }) => request.author.agent === author.agent)?.position ?? 1;
    const base = asPosition(last);
    const one: Made = {
      request: { key: asCommitKey(name), base, author, message: name, changes, blobs },
      position: null,
    };
    made.push(one);
    const answered = await client.commit(one.request);
    if (!answered.ok) return;
    if (answered.value.kind === "refused") throw new Error(answered.value.reason);
    one.position = answered.value.position;
  }
}

async function ask(client: StoreClient, open: Made, faults: string[]): Promise<void> {
  const answered = await client.commit(open.request);
  if (answered.ok && answered.value.kind !== "refused") open.position = answered.value.position;
  else faults.push(`${open.request.key} was not answered when it was repeated`);
}

async function compare(directory: string, made: readonly Made[], when: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const report = unwrap(await checkStore(nodeHost(), directory), "check");
  for (const { file, offset, message } of report.faults) faults.push(`${when}: ${file} at ${offset}: ${message}`);
  const view = unwrap(await openVcsView(nodeHost(), directory), "read");
  const found = new Map<number, string>();
  for await (const { position, message, changes } of view.vcs.history()) {
    found.set(
      position,
      `${message}: ${changes.map((change) => `${change.path} ${change.kind === "put" ? change.blob : "-"}`).join(", ")}`,
    );
  }
  const keys = [...found.values()].map((line) => line.split(":")[0]);
  if (new Set(keys).size !== keys.length) faults.push(`${when}: a commit is there twice`);
  for (const { request, position } of made) {
    if (position === null) continue;
    const expected = `${request.message}: ${request.changes.map((change) => `${change.path} ${change.kind === "put" ? change.blob : "-"}`).join(", ")}`;
    const [stands, isConflict] = [
      found.get(position),
      view.vcs.conflicts().some(({ commits }) => commits.some((commit) => commit.position === position)),
    ];
    if (stands !== expected && !isConflict)
      faults.push(`${when}: ${request.key} was acknowledged at ${position}, where ${stands ?? "nothing"} is`);
  }
  if (report.records !== view.vcs.head())
    faults.push(`${when}: ${report.records} records, and the head is at ${view.vcs.head()}`);
  await view.close();
  return faults;
}
