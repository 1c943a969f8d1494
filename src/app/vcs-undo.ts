// `skein vcs undo`: takes back what landed commits have changed, by the store's server or by this process as its writer.

import { commitAnswer } from "../adapters/socket/messages.ts";
import type { Position } from "../base/ids.ts";
import { flag, list, natural, object, parse, text, union } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { AppendError } from "../log/log.ts";
import type { UndoError, Undone, UndoRequest } from "../vcs/undo.ts";
import { findStore, type StoreWish } from "./store-place.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Done, fromServer, type VcsError, writing } from "./vcs-commands.ts";

export type UndoCommandError =
  | VcsError
  | UndoError
  | { readonly kind: "append"; readonly error: AppendError; readonly key: UndoRequest["key"] };

export async function vcsUndo(
  surroundings: Surroundings,
  wish: StoreWish,
  request: UndoRequest,
): Promise<Result<Done<Undone>, UndoCommandError>> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory } = place.value;
  return writing<Undone, UndoCommandError>(surroundings, directory, async (door) => {
    if (door.kind === "writer") {
      if (door.store.vcs.imported() === null) return err({ kind: "not-imported" });
      return told(await door.store.vcs.undo(request), request);
    }
    const answered = await door.client.undo(request);
    if (!answered.ok) return err(fromServer(answered.error, directory));
    const read = readReport(answered.value.report);
    if (read === null) {
      return err(fromServer({ kind: "failed", failed: "internal", message: "the report cannot be read" }, directory));
    }
    return told(read, request);
  });
}

type Answered = Result<Undone, UndoError | AppendError>;

function told(answered: Answered, { key }: UndoRequest): Result<Undone, UndoCommandError> {
  if (answered.ok) return answered;
  const { error } = answered;
  switch (error.kind) {
    case "no-commit":
    case "no-commits-of":
    case "undo-too-large":
    case "undo-too-old":
      return err(error);
    default:
      return err({ kind: "append", error, key });
  }
}

const position = natural<Position>();
const message = text(1_000_000);
const undone = object({ undone: list(position, 10_000_000), outcome: commitAnswer });
const problem = union({
  "no-commit": object({ position }),
  "no-commits-of": object({ who: message }),
  "undo-too-large": object({ paths: natural(), pathsMax: natural() }),
  "undo-too-old": object({ position, keptFrom: position }),
  moved: object({ expected: position, end: position }),
  "batch-too-large": object({ bytes: natural(), bytesMax: natural() }),
  "no-space": object({ message }),
  stopped: object({ message }),
});
const report = object({ ok: flag });

/** Null for what is no report of ours. */
function readReport(json: string): Answered | null {
  try {
    const value: unknown = JSON.parse(json);
    const kind = parse(report, value, "report");
    if (!kind.ok) return null;
    if (kind.value.ok) {
      const good = parse(object({ value: undone }), value, "report");
      return good.ok ? ok(good.value.value) : null;
    }
    const bad = parse(object({ error: problem }), value, "report");
    return bad.ok ? err(bad.value.error) : null;
  } catch {
    return null;
  }
}
