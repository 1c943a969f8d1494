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

/** Resolves when git has done all that was written before, or has ended. */
export type WorkedOff = () => Promise<void>;

const idsBytesMax = 1_024;

/** Answers the id that the stream's `get-mark` asked for; the sender's error is answered as it is. */
export async function runFastImport<E>(
  git: Git,
  { cwd, options = [], config = [], signal }: FastImportCall,
  send: (write: Write, workedOff: WorkedOff) => Promise<Result<void, E>>,
): Promise<Result<string, E | GitError>> {
  const args = ["fast-import", "--quiet", "--force", "--done", ...options] as const;
  const started = await startGit(git, { cwd, args, config, ...(signal === undefined ? {} : { signal }) });
  if (!started.ok) return started;
  const { child } = started.value;
  const answers = new Answers(child.stdout);
  const sent = await send(
    (bytes) => child.write(bytes),
    () => {
      const done = answers.progress();
      void child.write(Buffer.from(`${progress}\n`));
      return done;
    },
  );
  // Without `done` git makes nothing of the stream but unreferenced objects.
  if (!sent.ok) child.kill("SIGKILL");
  child.endInput();
  const id = await answers.id;
  const finished = await started.value.finish();
  if (!sent.ok) return sent;
  if (!finished.ok) return finished;
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return ok(id);
  return err(gitError({ args: [...args] }, 0, `named no commit but: ${id}`));
}

/** Git says it again when it comes to it. */
const progress = "progress here";

/** What git says: how far it is, and an id. */
class Answers {
  readonly id: Promise<string>;
  #waiting: (() => void)[] = [];
  #hasEnded = false;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.id = this.#read(stream);
  }

  progress(): Promise<void> {
    return new Promise((go) => {
      if (this.#hasEnded) go();
      else this.#waiting.push(go);
    });
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<string> {
    let said = "";
    let line = "";
    for await (const chunk of stream) {
      const lines = `${line}${Buffer.from(chunk).toString("latin1")}`.split("\n");
      line = (lines.pop() ?? "").slice(0, idsBytesMax);
      for (const whole of lines) {
        if (whole === progress) this.#waiting.shift()?.();
        else if (said.length < idsBytesMax) said += `${whole.slice(0, idsBytesMax)}\n`;
      }
    }
    this.#hasEnded = true;
    for (const go of this.#waiting.splice(0)) go();
    return `${said}${line}`.trim();
  }
}
