// Which session a person means: its id, how it begins, or the name that lists give it; with its client before it where two clients have it.

import { CLIENT_NAMES } from "../client-event.ts";
import type { Row } from "./rows.ts";

export type NamedRow =
  | { readonly kind: "one"; readonly row: Row }
  | { readonly kind: "none" }
  | { readonly kind: "several"; readonly rows: readonly Row[] };

/** `wanted` is an id, or `client/id`; an id may have a slash in it too. */
export function namedRow(rows: readonly Row[], wanted: string): NamedRow {
  const byId = matching(rows, wanted);
  const cut = wanted.indexOf("/");
  const client = CLIENT_NAMES.find((name) => name === wanted.slice(0, Math.max(0, cut)));
  const both =
    client === undefined
      ? byId
      : [
          ...byId,
          ...matching(
            rows.filter((row) => row.client === client),
            wanted.slice(cut + 1),
          ),
        ];
  const found = [...new Set(both)];
  const [row] = found;
  if (row === undefined) return { kind: "none" };
  return found.length === 1 ? { kind: "one", row } : { kind: "several", rows: found };
}

/** How `namedRow` finds it: the whole id, since a shorter one may be another's too. */
export function wholeName({ client, session, agent, name }: Row): string {
  return `${client}/${agent === null ? session : name}`;
}

function matching(rows: readonly Row[], wanted: string): readonly Row[] {
  if (wanted === "") return [];
  const exact = rows.filter((row) => row.session === wanted && row.agent === null);
  return exact.length > 0 ? exact : rows.filter((row) => row.session.startsWith(wanted) || row.name === wanted);
}
