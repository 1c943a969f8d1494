// How much an agent may do without asking the person: four modes, each with all that the ones before it allow.

export const APPROVAL_MODES = ["read-only", "ask", "auto-edit", "full-auto"] as const;

/**
 * `read-only` changes nothing; `ask` asks before each change and each command; `auto-edit` edits files of the tree without asking;
 * `full-auto` also runs commands without asking, where a sandbox holds them.
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** The one that allows less. */
export function stricterMode(a: ApprovalMode, b: ApprovalMode): ApprovalMode {
  return APPROVAL_MODES.indexOf(a) <= APPROVAL_MODES.indexOf(b) ? a : b;
}
