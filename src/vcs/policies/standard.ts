// What holds for every store, whoever commits: the list that others are put behind.

import type { VcsLimits } from "../limits.ts";
import { basePolicy, keptPolicy } from "./base.ts";
import { idPolicy, presencePolicy } from "./contents.ts";
import { namePolicy, onePathPolicy } from "./names.ts";
import type { Policy } from "./policy.ts";
import { contentSize, messageSize, pathCount } from "./size.ts";

/** Cheap checks first: contents are hashed only for a commit that passes all others. */
export function standardPolicies(limits: VcsLimits): readonly Policy[] {
  return [
    basePolicy,
    keptPolicy,
    pathCount(limits),
    messageSize(limits),
    namePolicy,
    onePathPolicy,
    contentSize(limits),
    presencePolicy,
    idPolicy,
  ];
}
