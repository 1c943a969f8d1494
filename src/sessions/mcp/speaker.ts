// Which session asks: the one whose agent started this server, found by the process's number and start as its hooks recorded them. One server
// serves a session and its subagents; a subagent names itself.

import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { ProcessTable } from "../../host/process-table.ts";
import { type RepositoryKey, repositoryKey, type SessionKey } from "../presence/ids.ts";
import type { AgentProcess } from "../presence/liveness.ts";
import { lookAround } from "../presence/look-around.ts";
import { type LiveRow, type OwnRow, rowOfProcess } from "../presence/own-row.ts";
import { findPlace } from "../presence/place.ts";
import type { Registry } from "../presence/registry.ts";
import { isSameAgent, type Row } from "../presence/rows.ts";

export interface Speaker {
  readonly repository: RepositoryKey;
  readonly key: SessionKey;
  readonly earlier: readonly SessionKey[];
  /** Of the session's worktree at this moment. */
  readonly branch: string | null;
}

/** Who asks, as far as a call says it. */
export interface Asker {
  /** Put in by a client's plugin of ours where one process has several sessions; it decides among these alone. */
  readonly session: string | null;
  readonly subagent: string | null;
}

export interface Around {
  /** Of others alone. */
  readonly rows: readonly Row[];
  readonly worktree: string;
  readonly branch: string | null;
}

export interface SpeakersSpec {
  readonly registry: Registry;
  readonly processes: ProcessTable;
  readonly now: () => number;
  /** The agent; null where none could be told. */
  readonly agent: AgentProcess | null;
  readonly cwd: string;
  /** The session that the server's environment names, for an agent with several. */
  readonly named: string | null;
}

export class Speakers {
  readonly registry: Registry;
  readonly #spec: SpeakersSpec;

  constructor(spec: SpeakersSpec) {
    this.registry = spec.registry;
    this.#spec = spec;
  }

  /** An error is for the model. */
  async find({ session, subagent }: Asker): Promise<Result<Speaker, string>> {
    const live = await this.#row(session);
    if (live === "several")
      return err(
        "Nothing was read or written: this agent has several sessions, and Skein cannot tell which one asks. In a shell, `skein who` lists them and `skein memory note --session <id>` writes for one.",
      );
    if (live === "none")
      return err(
        "This session is not known to Skein, so nothing was read or written: its hooks have not run. `skein doctor` says what keeps them from running.",
      );
    return speakerOf(this.registry, live, subagent);
  }

  /** Also for a session that is not known: then of the server's directory. */
  async around(session: string | null): Promise<Around> {
    const { cwd } = this.#spec;
    const own = await this.#row(session);
    const live = typeof own === "string" ? null : own;
    const place = await findPlace(this.registry.files, live?.row.standing?.worktree ?? cwd);
    const seen = await lookAround(this.#looking(), live?.repository ?? repositoryKey(place.repository));
    const rows = seen.rows.filter(({ facts }) => live === null || !isSameAgent(facts, live.row.facts));
    return { rows, worktree: place.worktree, branch: place.head?.branch ?? null };
  }

  async #row(session: string | null): Promise<OwnRow> {
    const { agent, cwd, named } = this.#spec;
    return agent === null ? "none" : rowOfProcess(this.#looking(), agent, { cwd, named: session ?? named });
  }

  #looking() {
    const { registry, processes, now } = this.#spec;
    return { registry, processes, now: now() };
  }
}

/** The session itself, or the subagent of it that is named by its id or by its short name. */
export async function speakerOf(
  registry: Registry,
  { row, repository }: LiveRow,
  subagent: string | null,
): Promise<Result<Speaker, string>> {
  const child =
    subagent === null
      ? null
      : row.subagents.find(({ facts, name }) => facts.agent === subagent || name.split("+")[1] === subagent);
  if (child === undefined) {
    const known = row.subagents.slice(0, subagentsShownMax).map(({ facts }) => cleanLine(facts.agent ?? "", 100));
    return err(
      `Nothing was written: this session has no subagent ${JSON.stringify(cleanLine(subagent ?? "", 100))}. ${known.length === 0 ? "None of it is recorded." : `Recorded are: ${known.join(", ")}.`} Leave it out to speak for the session.`,
    );
  }
  const standing = child?.standing ?? row.standing;
  const place = standing === null ? null : await findPlace(registry.files, standing.worktree);
  // A directory that is another repository's by now says nothing of this one's branch.
  const here = place !== null && place.repository === row.facts.repository ? place.head : null;
  const branch = here === null ? (standing?.branch ?? null) : here.branch;
  return ok({ repository, key: child?.key ?? row.key, earlier: child === null ? row.earlier : [], branch });
}

const subagentsShownMax = 20;
