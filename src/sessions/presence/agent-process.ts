// Finds the agent's process among a hook's ancestors. Clients start hooks through short-lived shells and launchers: what they are
// called is passed over, so that the record names what lives as long as the session.

import type { ProcessLook, ProcessTable } from "../../host/process-table.ts";
import type { AgentProcess } from "./liveness.ts";

export interface FoundProcess extends AgentProcess {
  readonly terminal: string | null;
}

export interface Search {
  /** The hook's parent. */
  readonly parent: number;
  /** The agent's process as its client named it; inherited variables may name an outer agent's. */
  readonly hint: number | null;
  /** The hint is the agent itself, also where the hook has outlived it and has other ancestors by now. */
  readonly exact?: boolean;
}

const ancestorsMax = 12;

/** A container's first process may be the agent itself; these never are. */
const INITS = new Set("systemd init launchd tini dumb-init docker-init catatonit bwrap".split(" "));

const TRANSPARENT = new Set(
  "sh bash dash ash zsh fish ksh mksh busybox env timeout nice ionice setsid stdbuf nohup time xargs skein-hook".split(
    " ",
  ),
);

/** Null where no ancestor can be the agent. */
export async function findAgentProcess(
  table: ProcessTable,
  { parent, hint, exact = false }: Search,
): Promise<FoundProcess | null> {
  if (exact && hint !== null) return lookedUp(table, hint);
  const ancestors = await ancestorsOf(table, parent);
  const nearest = ancestors.find(({ look }) => !isTransparent(look.name));
  const hinted = ancestors.find(({ pid }) => pid === hint);
  // An ancestor beyond another program of its own name is the outer of two nested agents.
  if (hinted !== undefined && (nearest === undefined || nearest.look.name !== hinted.look.name)) return found(hinted);
  if (nearest !== undefined) return found(nearest);
  return hint === null ? null : lookedUp(table, hint);
}

async function lookedUp(table: ProcessTable, pid: number): Promise<FoundProcess | null> {
  const look = (await table.look([pid])).get(pid);
  return look?.kind === "running" ? found({ pid, look }) : null;
}

export interface Ancestor {
  readonly pid: number;
  readonly look: Extract<ProcessLook, { readonly kind: "running" }>;
}

/** From the nearest outwards; ends where a process cannot be read, and before the system's own first one. */
export async function ancestorsOf(table: ProcessTable, from: number): Promise<readonly Ancestor[]> {
  const ancestors: Ancestor[] = [];
  for (let pid = from; pid > 0 && ancestors.length < ancestorsMax; ) {
    const look = (await table.look([pid])).get(pid);
    if (look?.kind !== "running" || INITS.has(look.name)) break;
    ancestors.push({ pid, look });
    pid = look.parent;
  }
  return ancestors;
}

function isTransparent(name: string): boolean {
  // A login shell's name begins with `-`.
  return TRANSPARENT.has(name.replace(/^-/, ""));
}

function found({ pid, look }: Ancestor): FoundProcess {
  return { pid, start: look.start, terminal: look.terminal };
}
