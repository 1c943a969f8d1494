// Whose shell commands run or ran lately: `presence/<repository>/.calls/`, with a mark for each running command (`<session>~<call>`) and one for
// the end of each session's last (`<session>`). One look tells which sessions' lines are worth reading when a command ends.
// Invariant: the end is marked before the running mark goes, so that a command is never in neither; the lines decide.

import { fnv64 } from "../../base/fnv.ts";
import { asSessionKey, type RepositoryKey, type SessionKey } from "./ids.ts";
import { isName } from "./names.ts";
import type { SessionFiles } from "./session-file.ts";

const marksMax = 20_000;
const nothing = new Uint8Array();

export type Ends = Readonly<Record<string, number>>;

export class Running {
  readonly #files: SessionFiles;
  readonly #root: string;

  constructor(files: SessionFiles, root: string) {
    this.#files = files;
    this.#root = root;
  }

  begin(repository: RepositoryKey, key: SessionKey, call: string): Promise<void> {
    return this.#mark(repository, `${key}~${fnv64(call)}`);
  }

  async end(repository: RepositoryKey, key: SessionKey, call: string | null): Promise<void> {
    await this.#mark(repository, key);
    if (call !== null) await this.#files.remove(`${this.#of(repository)}/${key}~${fnv64(call)}`);
  }

  /** The change time of each session's last end. Compared with themselves and never with a clock, which may step. */
  async ends(repository: RepositoryKey): Promise<Ends> {
    return (await this.#look(repository)).ends;
  }

  /** Sessions with a command that runs, or ended since `before` was looked at. */
  async since(repository: RepositoryKey, before: Ends): Promise<readonly SessionKey[]> {
    const { ends, running } = await this.#look(repository);
    const ended = Object.keys(ends).filter((key) => before[key] !== ends[key]);
    return [...new Set([...running, ...ended])].map(asSessionKey);
  }

  async #look(repository: RepositoryKey): Promise<{ readonly ends: Ends; readonly running: readonly string[] }> {
    const directory = this.#of(repository);
    const listed = await this.#files.list(directory, marksMax);
    const ends: Record<string, number> = {};
    const running: string[] = [];
    for (const { name } of listed.ok ? listed.value : []) {
      const [key = "", call] = name.split("~");
      if (!isName(key)) continue;
      if (call !== undefined) running.push(key);
      else {
        const stat = await this.#files.stat(`${directory}/${name}`);
        if (stat.ok) ends[key] = stat.value.changedMs;
      }
    }
    return { ends, running };
  }

  async forget(repository: RepositoryKey, key: SessionKey): Promise<void> {
    const directory = this.#of(repository);
    const listed = await this.#files.list(directory, marksMax);
    for (const { name } of listed.ok ? listed.value : [])
      if (name === key || name.startsWith(`${key}~`)) await this.#files.remove(`${directory}/${name}`);
  }

  async #mark(repository: RepositoryKey, name: string): Promise<void> {
    const path = `${this.#of(repository)}/${name}`;
    const written = await this.#files.write(path, nothing, { private: true });
    if (written.ok || written.error.code !== "not-found") return;
    if ((await this.#files.makeDirectory(this.#of(repository), { private: true })).ok)
      await this.#files.write(path, nothing, { private: true });
  }

  #of(repository: RepositoryKey): string {
    return `${this.#root}/${repository}/.calls`;
  }
}
