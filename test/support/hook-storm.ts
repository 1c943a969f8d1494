// Many sessions whose hooks all run at once, and then a kill of half of them: what is recorded, and who is taken for whom.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { HookedAgent, recordedLines } from "./hooked-agents.ts";
import { sandbox } from "./sandbox.ts";
import { lastJson, skein } from "./skein.ts";

export interface StormPlan {
  readonly sessions: number;
  /** Of each session. */
  readonly events: number;
  /** Hooks that run at the same time. */
  readonly processes: number;
  readonly kills: number;
}

export interface StormEnd {
  readonly events: number;
  /** Events that are in no file, and files' lines that are no event. */
  readonly lost: readonly string[];
  readonly torn: number;
  readonly failedHooks: number;
  /** Killed, and still shown as somebody who is here. */
  readonly phantoms: readonly string[];
  /** Alive, and not shown as live. */
  readonly falseDeaths: readonly string[];
}

export async function storm({ sessions, events, processes, kills }: StormPlan): Promise<StormEnd> {
  using box = sandbox();
  const cwd = join(box.root, "repository");
  mkdirSync(cwd);
  using agents = new DisposableStack();
  const all = Array.from({ length: sessions }, (_, index) =>
    agents.use(new HookedAgent(box, { session: `s${index}`, cwd })),
  );
  // Round by round, so that those of one session meet those of all others.
  const work = Array.from({ length: events }, (_, event) => all.map((agent) => ({ agent, event }))).flat();
  let failedHooks = 0;
  await Promise.all(
    Array.from({ length: processes }, async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift()) {
        const end = await next.agent.edit(`file-${next.agent.session}-${next.event}.txt`);
        if (end.exitCode !== 0) failedHooks += 1;
      }
    }),
  );
  const { lost, torn } = compare(box.state, all, events);
  const killed = all.filter((_, index) => index < kills);
  for (const agent of killed) await agent.kill();
  const who = lastJson(await skein(box, { args: ["who", "--all", "--json"], cwd }));
  const shown = new Map(asRows(who.sessions).map(({ session, liveness }) => [session, liveness]));
  return {
    events: sessions * events,
    lost,
    torn,
    failedHooks,
    phantoms: killed.filter(({ session }) => shown.get(session) !== "dead").map(({ session }) => session),
    falseDeaths: all
      .filter((agent) => !killed.includes(agent) && shown.get(agent.session) !== "live")
      .map(({ session }) => session),
  };
}

function compare(state: string, agents: readonly HookedAgent[], events: number) {
  const recorded: string[] = [];
  let torn = 0;
  for (const lines of recordedLines(state).values())
    for (const line of lines) {
      try {
        recorded.push(...(JSON.parse(line).files ?? [`no file: ${line}`]));
      } catch {
        torn += 1;
      }
    }
  const expected = agents.flatMap(({ session }) =>
    Array.from({ length: events }, (_, event) => `file-${session}-${event}.txt`),
  );
  const [have, want] = [new Set(recorded), new Set(expected)];
  const lost = [...expected.filter((one) => !have.has(one)), ...recorded.filter((one) => !want.has(one))];
  if (recorded.length !== expected.length) lost.push(`${recorded.length} lines for ${expected.length} events`);
  return { lost, torn };
}

function asRows(sessions: unknown): readonly { readonly session: string; readonly liveness: string }[] {
  if (!Array.isArray(sessions)) throw new Error("`skein who --json` lists sessions");
  return sessions;
}
