// Feeds one `git fast-import` and reads the id of what it made. Invariant: a stream that was not sent whole makes nothing but
// unreferenced objects.

import { err, ok, type Result } from "../../base/result.ts";
import { type Git, type GitError, gitError, startGit } from "./command.ts";
import type { ConfigPair } from "./environment.ts";

export interface FastImportCall {
  readonly cwd: string;
  readonly options?: readonly string[];
  readonly config?: readonly ConfigPair[];
  readonly signal?: AbortSignal;
}

/** False where git has ended: its own error is then what counts, and the sender stops. */
export type Write = (bytes: Uint8Array) => Promise<boolean>;

const idsBytesMax = 1_024;

/** Answers the id that the stream's `get-mark` asked for; the sender's error is answered as it is. */
export async function runFastImport<E>(
  git: Git,
  { cwd, options = [], config = [], signal }: FastImportCall,
  send: (write: Write) => Promise<Result<void, E>>,
): Promise<Result<string, E | GitError>> {
  const args = ["fast-import", "--quiet", "--force", "--done", ...options] as const;
  const started = await startGit(git, { cwd, args, config, ...(signal === undefined ? {} : { signal }) });
  if (!started.ok) return started;
  const { child } = started.value;
  const answered = readStart(child.stdout);
  const sent = await send((bytes) => child.write(bytes));
  // Without `done` git makes nothing of the stream but unreferenced objects.
  if (!sent.ok) child.kill("SIGKILL");
  child.endInput();
  const id = await answered;
  const finished = await started.value.finish();
  if (!sent.ok) return sent;
  if (!finished.ok) return finished;
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return ok(id);
  return err(gitError({ args: [...args] }, 0, `named no commit but: ${id}`));
}

async function readStart(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < idsBytesMax) text += Buffer.from(chunk).toString("latin1", 0, idsBytesMax);
  }
  return text.trim();
}
