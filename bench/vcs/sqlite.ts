// The better alternative: SQLite inside one process, commits gathered into transactions that are durable as a whole.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BenchRandom, idOf, pathOf, textOf } from "./random.ts";

export interface SqliteWish {
  readonly directory: string;
  readonly files: number;
  readonly fileBytes: number;
  readonly seconds: number;
  /** Commits in one transaction: as if so many writers waited. */
  readonly group: number;
}

/** Durable commits/s of 1–3 files, without a socket, without merges, in WAL mode with `synchronous=FULL`. */
export function sqliteRate({ directory, files, fileBytes, seconds, group }: SqliteWish): number {
  const database = new DatabaseSync(join(directory, `sqlite-${group}.db`));
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
  database.exec("CREATE TABLE blobs (id BLOB PRIMARY KEY, bytes BLOB) WITHOUT ROWID");
  database.exec("CREATE TABLE commits (position INTEGER PRIMARY KEY, key TEXT UNIQUE, base INTEGER, message TEXT)");
  database.exec("CREATE TABLE paths (path TEXT PRIMARY KEY, blob BLOB, changed INTEGER) WITHOUT ROWID");
  const putBlob = database.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)");
  const putCommit = database.prepare("INSERT INTO commits VALUES (?, ?, ?, ?)");
  const readPath = database.prepare("SELECT changed FROM paths WHERE path = ?");
  const putPath = database.prepare(
    "INSERT INTO paths VALUES (?, ?, ?) ON CONFLICT (path) DO UPDATE SET blob = excluded.blob, changed = excluded.changed",
  );
  const random = new BenchRandom(3);
  const startMs = performance.now();
  const untilMs = startMs + seconds * 1_000;
  let position = 0;
  while (performance.now() < untilMs) {
    database.exec("BEGIN");
    for (let each = 0; each < group; each += 1) {
      position += 1;
      for (let count = 1 + random.below(3); count > 0; count -= 1) {
        const bytes = textOf(fileBytes, random, `${position} ${count}`);
        const id = Buffer.from(idOf(bytes), "hex");
        const path = pathOf(random.below(files));
        readPath.get(path);
        putBlob.run(id, bytes);
        putPath.run(path, id, position);
      }
      putCommit.run(position, `k${position}`, position - 1, "m");
    }
    database.exec("COMMIT");
  }
  const rate = (position * 1_000) / (performance.now() - startMs);
  database.close();
  return rate;
}
