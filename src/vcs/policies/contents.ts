// Every content that a commit names is in the store or came along, and is what its id says.

import { objectFormatOf } from "../../log/blob-id.ts";
import type { Policy } from "./policy.ts";

export const idPolicy: Policy = {
  name: "blob",
  when: "arrival",
  check(proposal) {
    const format = proposal.store.imported?.objectFormat ?? "sha1";
    for (const change of proposal.request.changes) {
      if (change.kind !== "put") continue;
      const { path, blob, mode } = change;
      if (objectFormatOf(blob) !== format) return `${path}: "${blob}" is not a ${format} object id.`;
      // A submodule's id is a commit of another repository.
      if (mode === "160000" || proposal.sent(blob) === undefined) continue;
      if (proposal.content(blob) === null) return `${path}: the bytes sent are not those of ${blob}.`;
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
