// Which sessions have touched a file: `presence/<repository>/.files/<file>/<session>`, an empty mark that each session sets for itself. One look
// then tells at a tool's call whether anybody else is concerned, however many sessions there are.
// Invariant: a mark is only a hint; what it stands for is read from the session's own lines.

import { fnv64 } from "../../base/fnv.ts";
import { asSessionKey, type RepositoryKey, type SessionKey } from "./ids.ts";
import { isName } from "./names.ts";
import type { SessionFiles } from "./session-file.ts";

const touchersMax = 2_000;
const nothing = new Uint8Array();

export class Touchers {
  readonly #files: SessionFiles;
  readonly #root: string;

  constructor(files: SessionFiles, root: string) {
    this.#files = files;
    this.#root = root;
  }

  /** A mark that cannot be set costs others a notice, and nobody their work. */
  async mark(repository: RepositoryKey, paths: readonly string[], key: SessionKey): Promise<void> {
    for (const path of paths) {
      const directory = this.#of(repository, path);
      const written = await this.#files.write(`${directory}/${key}`, nothing, { private: true });
      if (written.ok || written.error.code !== "not-found") continue;
      if ((await this.#files.makeDirectory(directory, { private: true })).ok)
        await this.#files.write(`${directory}/${key}`, nothing, { private: true });
    }
  }

  /** All that have marked one of these files. */
  async of(repository: RepositoryKey, paths: readonly string[]): Promise<readonly SessionKey[]> {
    const found = new Set<SessionKey>();
    for (const path of paths) {
      const listed = await this.#files.list(this.#of(repository, path), touchersMax);
      if (listed.ok) for (const { name } of listed.value) if (isName(name)) found.add(asSessionKey(name));
    }
    return [...found];
  }

  async forget(repository: RepositoryKey, path: string, key: SessionKey): Promise<void> {
    await this.#files.remove(`${this.#of(repository, path)}/${key}`);
  }

  #of(repository: RepositoryKey, path: string): string {
    return `${this.#root}/${repository}/.files/${fnv64(path)}`;
  }
}
