// Every content that a commit names is in the store or came along, and is what its id says.

import { objectFormatOf } from "../../log/blob-id.ts";
import type { Policy } from "./policy.ts";

const idCharsOf = { sha1: 40, sha256: 64 } as const;

export const idPolicy: Policy = {
  name: "blob",
  when: "arrival",
  check(proposal) {
    const format = proposal.store.imported?.objectFormat ?? "sha1";
    for (const change of proposal.request.changes) {
      if (change.kind !== "put") continue;
      const { path, blob, mode } = change;
      // A submodule's id is a commit of another repository. What a content hashes to is an id.
      const isHashed = mode !== "160000" && blob.length === idCharsOf[format] && proposal.content(blob) !== null;
      if (isHashed) continue;
      if (objectFormatOf(blob) !== format) return `${path}: "${blob}" is not a ${format} object id.`;
      if (mode === "160000" || proposal.sent(blob) === undefined) continue;
      return `${path}: the bytes sent are not those of ${blob}.`;
    }
    return null;
  },
};

export const presencePolicy: Policy = {
  name: "missing-blob",
  // Garbage may have been collected since it arrived.
  when: "acceptance",
  check(proposal) {
    for (const change of proposal.request.changes) {
      if (change.kind !== "put" || change.mode === "160000") continue;
      const { path, blob } = change;
      if (proposal.content(blob) !== null || proposal.store.hasBlob(blob)) continue;
      return `${path}: the content ${blob} was not sent and is not in the store.`;
    }
    return null;
  },
};
