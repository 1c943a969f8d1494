// What is seen of a scenario from outside: what has reached the model, and what `skein who` says.

import { eventually } from "../support/skein.ts";
import type { FakeModel, ModelRequest } from "./fake-model.ts";
import type { Place, Running } from "./place.ts";

/** The session's own requests, without those for a title or the like. */
export function requestsOf(model: FakeModel, task: string): readonly ModelRequest[] {
  return model.requests.filter(({ user, tools }) => user.includes(task) && tools > 0);
}

/** A client's first start in a new home takes a minute on a machine that has much else to do. */
const startAttemptsMax = 3_000;

export async function askedAgain(model: FakeModel, task: string, session: Running): Promise<void> {
  const failed = session.ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${session.output()}`)));
  failed.catch(() => undefined);
  const again = () => requestsOf(model, task).find(({ turn }) => turn > 0) ?? null;
  const asked = eventually(`${task} asks again`, again, startAttemptsMax).catch((error: Error) => {
    const turns = model.requests.map(({ turn, tools }) => `${turn} with ${tools} tools`);
    throw new Error(`${error.message}; the model was asked at turns ${turns.join(", ")}; it said: ${session.output()}`);
  });
  await Promise.race([asked, failed]);
}

/** What of ours has reached the model with this request. */
export function told({ body }: ModelRequest): { readonly block: string | null; readonly touches: readonly string[] } {
  const texts = textsIn(JSON.parse(body));
  // A tool of our MCP server is described in nearly the same words.
  const blocks = texts.flatMap((text) => /Other agent sessions in this repository at [\s\S]*/.exec(text) ?? []);
  const touches = texts.flatMap((text) => text.match(/Session [a-z-]+ \S+ edited .*/g) ?? []);
  return { block: blocks.length === 0 ? null : blocks.join("\n\n"), touches };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export interface Session {
  readonly client: string;
  readonly liveness: string;
  readonly state: string;
  readonly intent: { readonly text: string } | null;
  readonly files: readonly { readonly path: string }[];
}

export function who(place: Place) {
  const { sessions } = JSON.parse(place.run("skein", "who", "--json")) as { readonly sessions: readonly Session[] };
  return sessions.map(({ client, liveness, state, intent, files }) => ({
    client,
    liveness,
    state,
    intent: intent?.text ?? null,
    files: files.map(({ path }) => path),
  }));
}
