// Whether a hook is for an event: its matcher against the event's value (a tool's name, a reason), as Claude Code compares them. Invariant:
// in doubt a hook is run, since it may be a guard.

/** Names of one tool: the one that hooks are told first, then those that older matchers, or people who know Skein's names, use. */
export type MatchNames = readonly [string, ...string[]];

/** Letters, digits and these alone make a list of names; anything else a regular expression. */
const LIST = /^[A-Za-z0-9_\- ,|]*$/;

/** A pattern that is no regular expression matches everything: see above. */
export function matches(matcher: string, names: MatchNames): boolean {
  const text = matcher.trim();
  if (text === "" || text === "*") return true;
  if (LIST.test(text)) {
    const wanted = text.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => wanted.includes(name));
  }
  try {
    const pattern = new RegExp(text);
    return names.some((name) => pattern.test(name));
  } catch {
    return true;
  }
}
