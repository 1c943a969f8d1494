// What a foreign agent's hook tells us, in one form for all clients: the result of each client's `payload → event`.
// Invariant: nothing here is trusted; texts and paths are cleaned and capped where they are recorded.

/** The agents that sessions belong to. `skein` is our own harness, `skein-swarm` a swarm's coordinator. */
export const CLIENT_NAMES = [
  "claude-code",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "opencode",
  "qwen",
  "pi",
  "skein",
  "skein-swarm",
] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export type StartSource = "startup" | "resume" | "clear" | "compact" | "fork" | "other";

export type ClientAction =
  /** The session begins, resumes, or goes on after its history was cleared or compacted. */
  | { readonly kind: "session-started"; readonly source: StartSource }
  /** `byPerson` is false for what the client itself puts in: a subagent's completion, an empty repetition. */
  | { readonly kind: "prompt"; readonly text: string; readonly byPerson: boolean }
  /** Before a call that may change any file (a shell command): the time for the snapshot before. */
  | { readonly kind: "shell-started"; readonly call: string }
  /** After such a call. `call` is null where the client has no id for it or no hook before it. */
  | { readonly kind: "shell-ended"; readonly call: string | null; readonly failed: boolean }
  /** After a call that says itself which files it wrote: absolute, or relative to `cwd`. Both names of a rename. */
  | { readonly kind: "files-edited"; readonly paths: readonly string[] }
  /** A person is needed. `reason` is a few words: "permission: Bash", "idle". */
  | { readonly kind: "waiting"; readonly reason: string }
  /** The turn is over. `background` counts what still runs (subagents, background tasks): more than 0 is still working. Null: it is not told. */
  | { readonly kind: "turn-ended"; readonly background: number | null }
  /** The person stopped the turn. */
  | { readonly kind: "interrupted" }
  /** The history is being made shorter; a start with the source `compact` ends it. It may come while nothing else is done. */
  | { readonly kind: "compacting" }
  | { readonly kind: "subagent-started"; readonly agentType: string | null }
  | { readonly kind: "subagent-ended" }
  /** The session works in another directory now: `cwd` of the event. */
  | { readonly kind: "moved" }
  | { readonly kind: "session-ended"; readonly reason: string | null }
  /** Any other sign of life: another tool. It registers the session and means "at work". */
  | { readonly kind: "seen" };

export interface ClientEvent {
  /** The client that really runs, also where it read another one's settings. */
  readonly client: ClientName;
  readonly session: string;
  /** A subagent's id within the session; null for the session itself. */
  readonly agent: string | null;
  /** Absolute. */
  readonly cwd: string;
  readonly action: ClientAction;
  /** The client's own name of the event, for the output's form. */
  readonly native: string;
  /** Whether the client passes text to the model that a hook prints at this event. */
  readonly takesContext: boolean;
  readonly transcript: string | null;
  /** The agent's process as the client names it (`CLAUDE_PID`); checked against the hook's ancestors. */
  readonly agentPid: number | null;
  /** The client's own program told its number, which nobody can have inherited: then no ancestor is asked. */
  readonly tellsOwnPid?: boolean;
  /** One process of this client hosts many sessions: that it lives says little of one of them. */
  readonly sharedProcess: boolean;
}
