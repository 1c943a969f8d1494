// Whether Codex runs our hooks: asked of Codex itself, which alone knows what its person has approved. Nothing is approved here.

import { isOurCommand } from "../../clients/launcher-command.ts";
import { fieldsOf, textField } from "../../clients/payload.ts";
import type { Surroundings } from "../surroundings.ts";
import { askProgram } from "./output-of.ts";

export type Approval =
  | { readonly kind: "approved" }
  /** How many of ours are not, and are skipped without a word. */
  | { readonly kind: "waits"; readonly count: number; readonly of: number }
  /** Codex did not say. */
  | { readonly kind: "unknown" };

const timeMsMax = 15_000;

/** What it starts by itself otherwise, and what would reach the network. */
const quiet = [
  "features.plugins=false",
  "features.remote_plugin=false",
  "features.apps=false",
  "analytics.enabled=false",
];

/** `hooks/list` of `codex app-server`: https://developers.openai.com/codex/app-server */
export async function codexApproval(surroundings: Surroundings): Promise<Approval> {
  let approval: Approval = { kind: "unknown" };
  const request = (id: number, method: string, params: object): string => JSON.stringify({ id, method, params });
  await askProgram(surroundings, {
    argv: ["codex", "app-server", ...quiet.flatMap((setting) => ["-c", setting])],
    input: [request(1, "initialize", { clientInfo: { name: "skein", version: "1" } })],
    timeMsMax,
    onLine: (line, send) => {
      const message = messageOf(line);
      if (message === null) return false;
      if (message.id === 1) {
        send(JSON.stringify({ method: "initialized" }));
        send(request(2, "hooks/list", { cwds: [surroundings.cwd] }));
      }
      if (message.id !== 2) return false;
      approval = approvalIn(message.result);
      return true;
    },
  });
  return approval;
}

function messageOf(line: string): { readonly id: unknown; readonly result: unknown } | null {
  try {
    const fields = fieldsOf(JSON.parse(line));
    return fields === null ? null : { id: fields.id, result: fields.result };
  } catch {
    return null;
  }
}

/** Exported for its test: Codex's own answer as it was seen. */
export function approvalIn(result: unknown): Approval {
  const places = fieldsOf(result)?.data;
  const hooks = (Array.isArray(places) ? places : []).flatMap((place: unknown) => fieldsOf(place)?.hooks ?? []);
  const ours = hooks.flatMap((hook: unknown) => {
    const fields = fieldsOf(hook);
    const command = fields === null ? null : textField(fields, "command");
    return fields !== null && command !== null && isOurCommand(command) ? [fields] : [];
  });
  if (ours.length === 0) return { kind: "unknown" };
  const waiting = ours.filter(({ trustStatus, enabled }) => enabled === false || !APPROVED.has(String(trustStatus)));
  return waiting.length === 0 ? { kind: "approved" } : { kind: "waits", count: waiting.length, of: ours.length };
}

const APPROVED = new Set(["trusted", "managed"]);
