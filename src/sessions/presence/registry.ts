// The directory of all sessions: `presence/<repository>/<session>/`, and `presence/.at/<session>`, which says under which repository
// a session is kept. Invariant: what cannot be read of one session is told, and never hides another.

import { join } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { Fold } from "./fold.ts";
import { FoldCache } from "./fold-cache.ts";
import { asRepositoryKey, asSessionKey, type RepositoryKey, type SessionKey } from "./ids.ts";
import { isName } from "./names.ts";
import { Running } from "./running.ts";
import { eventsPath, type ReadSession, readSession, type SessionFiles } from "./session-file.ts";
import { Touchers } from "./touchers.ts";

export interface FoundSession {
  readonly key: SessionKey;
  readonly repository: RepositoryKey;
  readonly directory: string;
  readonly fold: Fold;
  /** Bytes of its file that the fold holds, for who reads on from there. */
  readonly offset: number;
}

export interface Sessions {
  readonly found: readonly FoundSession[];
  /** For a person: what could not be read. */
  readonly problems: readonly string[];
  /** Lets the next reader of all of them be quicker, where that is worth it. */
  readonly remember: (unique: string) => Promise<void>;
}

type FoldTo = Pick<FoundSession, "fold" | "offset">;

const sessionsMax = 20_000;
const repositoriesMax = 5_000;
const pointerBytesMax = 400;
const pointers = ".at";

export class Registry {
  readonly files: SessionFiles;
  readonly touchers: Touchers;
  readonly running: Running;
  readonly #root: string;

  /** `root` is the state directory. */
  constructor(files: SessionFiles, root: string) {
    this.files = files;
    this.#root = join(root, "presence");
    this.touchers = new Touchers(files, this.#root);
    this.running = new Running(files, this.#root);
  }

  directoryOf(repository: RepositoryKey, key: SessionKey): string {
    return `${this.#root}/${repository}/${key}`;
  }

  repositoryDirectory(repository: RepositoryKey): string {
    return `${this.#root}/${repository}`;
  }

  /** Under which repository the session is kept; null for one that is not known. */
  async homeOf(key: SessionKey): Promise<RepositoryKey | null> {
    const bytes = await this.files.read(`${this.#root}/${pointers}/${key}`, pointerBytesMax);
    const name = bytes.ok ? Buffer.from(bytes.value).toString("utf8") : "";
    return isName(name) ? asRepositoryKey(name) : null;
  }

  async setHome(key: SessionKey, repository: RepositoryKey): Promise<Result<void, FileError>> {
    const path = `${this.#root}/${pointers}/${key}`;
    const bytes = new TextEncoder().encode(repository);
    const written = await this.files.write(path, bytes, { private: true });
    if (written.ok || written.error.code !== "not-found") return written;
    const made = await this.files.makeDirectory(`${this.#root}/${pointers}`, { private: true });
    return made.ok ? this.files.write(path, bytes, { private: true }) : made;
  }

  read(repository: RepositoryKey, key: SessionKey): Promise<Result<ReadSession, FileError>> {
    return readSession(this.files, this.directoryOf(repository, key));
  }

  /** The sessions of one repository, or only those of these names. */
  async sessionsOf(repository: RepositoryKey, only: readonly SessionKey[] | null = null): Promise<Sessions> {
    const listed = only === null ? await this.keysOf(repository) : ok(only);
    if (!listed.ok) {
      const problems = listed.error.code === "not-found" ? [] : [problem(listed.error)];
      return { found: [], problems, remember: async () => {} };
    }
    const cache = only === null ? await FoldCache.open(this.files, `${this.#root}/${repository}`) : null;
    const found: FoundSession[] = [];
    const problems: string[] = [];
    for (const key of listed.value) {
      const directory = this.directoryOf(repository, key);
      const read = await this.#foldOf(directory, key, cache);
      if (!read.ok) problems.push(problem(read.error));
      else if (read.value.fold.lines > 0) {
        const { fold, offset } = read.value;
        found.push({ key, repository, directory, fold, offset });
      } else if (read.value.fold.unread > 0) problems.push(`${directory}: no line of it can be read`);
    }
    return { found, problems, remember: async (unique) => cache?.save(unique) };
  }

  async #foldOf(directory: string, key: SessionKey, cache: FoldCache | null): Promise<Result<FoldTo, FileError>> {
    const stat = cache === null ? null : await this.files.stat(eventsPath(directory));
    const known = stat?.ok ? cache?.get(key, stat.value) : null;
    if (known && stat?.ok) return ok({ fold: known, offset: known.whole ? stat.value.size : 0 });
    const read = await readSession(this.files, directory);
    // What was appended since the look at the file makes the entry useless, and never wrong.
    if (read.ok && stat?.ok) cache?.put(key, stat.value, read.value.fold);
    return read;
  }

  async keysOf(repository: RepositoryKey): Promise<Result<readonly SessionKey[], FileError>> {
    const listed = await this.files.list(`${this.#root}/${repository}`, sessionsMax);
    if (!listed.ok) return listed;
    const names = listed.value.filter(({ kind, name }) => kind === "directory" && isName(name));
    return ok(names.map(({ name }) => asSessionKey(name)));
  }

  async repositories(): Promise<Result<readonly RepositoryKey[], FileError>> {
    const listed = await this.files.list(this.#root, repositoriesMax);
    if (!listed.ok) return listed.error.code === "not-found" ? ok([]) : listed;
    const names = listed.value.filter(({ kind, name }) => kind === "directory" && isName(name));
    return ok(names.map(({ name }) => asRepositoryKey(name)));
  }

  /** Removes a session's record: first its name, so that nobody reads the half of it. */
  async forget({ directory, key, repository, fold }: FoundSession, unique: string): Promise<void> {
    const aside = `${this.#root}/${repository}/.gone-${unique}`;
    const moved = await this.files.rename(directory, aside);
    if (!moved.ok) return;
    await this.files.remove(aside);
    await this.running.forget(repository, key);
    for (const { path } of fold.files) await this.touchers.forget(repository, path, key);
    if ((await this.homeOf(key)) === repository) await this.files.remove(`${this.#root}/${pointers}/${key}`);
  }
}

function problem({ path, message }: FileError): string {
  return `${path}: ${message}`;
}
