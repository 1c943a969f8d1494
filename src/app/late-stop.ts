// Where a run is told to stop after its agents' end, while its branch is made and its check runs: the coordinator has gone then, and
// this answers in its place, at the same socket.

import { dirname, join } from "node:path";
import { parse } from "../base/parse.ts";
import type { Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { FileError } from "../host/files.ts";
import type { Listener, Net, NetError } from "../host/net.ts";
import { hostAsk } from "../protocol/messages.ts";
import { openPeer, type Peer } from "../protocol/peer.ts";
import { removeCoordinatorFile, writeCoordinatorFile } from "./coordinator-file.ts";
import { socketName } from "./stale-sockets.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

/** What asked for it may say why in its signal. */
export function whyStopped({ reason }: AbortSignal): string {
  return typeof reason === "string" ? cleanLine(reason, reasonCharsMax) : "stopped by the person who started it";
}

const reasonCharsMax = 500;

export interface LateStop {
  /** Aborts with the reason that was given. */
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

/** Nobody else listens at the socket. */
export async function listenForStop(net: Net, socketPath: string): Promise<Result<LateStop, NetError>> {
  const stop = new AbortController();
  const peers = new Set<Peer>();
  const answer = async (body: unknown): Promise<unknown> => {
    const ask = parse(hostAsk, body, "ask");
    if (ask.ok && ask.value.kind === "stop_run") stop.abort(ask.value.reason);
    else if (!ask.ok || ask.value.kind !== "run_status") throw new Error("the run's agents have ended");
    const { aborted, reason } = stop.signal;
    return ask.value.kind === "stop_run"
      ? {}
      : { status: JSON.stringify({ stopping: aborted ? String(reason) : null }) };
  };
  const listener = await net.listen(socketPath, (connection) => {
    const peer = openPeer(connection, { onAsk: answer, onNotice: () => {}, onClose: () => void peers.delete(peer) });
    peers.add(peer);
  });
  return listener.ok
    ? { ok: true, value: { signal: stop.signal, close: () => close(listener.value, peers) } }
    : listener;
}

async function close(listener: Listener, peers: ReadonlySet<Peer>): Promise<void> {
  await listener.close();
  for (const peer of peers) peer.close();
}

/** For a run that has no coordinator in this process: makes the place for the socket, and names it to other commands. */
export async function withLateStop<T>(
  { host, temporaryDirectory, processId }: Surroundings,
  directories: RunDirectories,
  act: (stop: AbortSignal) => Promise<T>,
): Promise<Result<T, FileError>> {
  const socketPath = join(temporaryDirectory, `skein-${host.random.letters(12)}`, socketName);
  const claimed = await host.files.claimDirectory(dirname(socketPath), { private: true });
  if (!claimed.ok) return claimed;
  const late = await listenForStop(host.net, socketPath);
  try {
    // Without it the run goes on; only Ctrl-C reaches it then.
    if (late.ok) await writeCoordinatorFile(host.files, directories, { pid: processId, socket: socketPath });
    return { ok: true, value: await act(late.ok ? late.value.signal : new AbortController().signal) };
  } finally {
    await removeCoordinatorFile(host.files, directories);
    if (late.ok) await late.value.close();
    await host.files.remove(dirname(socketPath));
  }
}
