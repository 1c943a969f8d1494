// The model of each role of a command, planned and tried as far as that needs no request: everything that can be wrong with a
// model's name, address, key, script or price is found here, before anything is sent or made.

import { err, ok, type Result } from "../base/result.ts";
import type { Role } from "../model/provider.ts";
import type { Price } from "../model/usage.ts";
import type { RecordData } from "../swarm/records.ts";
import type { ConnectionError } from "./connection.ts";
import { listedModel } from "./listed-model.ts";
import type { LoadedSettings } from "./load-settings.ts";
import { modelNameText } from "./model-names.ts";
import { type PlannedModel, planModel } from "./model-plan.ts";
import { openPlain } from "./models.ts";
import type { Origin, Sourced } from "./origin.ts";
import type { Surroundings } from "./surroundings.ts";

export interface RoleModel {
  readonly role: Role;
  readonly model: PlannedModel;
  /** Who named it. */
  readonly origin: Origin;
  readonly elsewhere: Sourced<string> | null;
  /** What answers, as every screen names it. */
  readonly title: string;
  readonly scripted: boolean;
  readonly price: Price | null;
  /** Output tokens of one request; null: the program's own default. */
  readonly outputTokensMax: number | null;
  /** Tokens of its window, input and output together; null where nobody knows. */
  readonly contextTokens: number | null;
}

export type RoleModelError =
  | { readonly kind: "no-model"; readonly roles: readonly Role[] }
  | { readonly kind: "bad-model"; readonly name: string; readonly message: string }
  /** A budget cannot be kept with it. `file` is the person's own. */
  | { readonly kind: "no-price"; readonly name: string; readonly scripted: boolean; readonly file: string | null }
  | ConnectionError;

export async function planRoles(
  surroundings: Surroundings,
  loaded: LoadedSettings,
  roles: readonly Role[],
): Promise<Result<readonly RoleModel[], RoleModelError>> {
  const missing = roles.filter((role) => loaded.settings.roles[role].model === null);
  if (missing.length > 0) return err({ kind: "no-model", roles: roles.length === 1 ? [] : missing });
  const atMs = surroundings.host.clock.now();
  const planned: RoleModel[] = [];
  for (const role of roles) {
    const one = await planRole(surroundings, loaded, role, atMs);
    if (!one.ok) return one;
    if (one.value !== null) planned.push(one.value);
  }
  const { budgetUsd } = loaded.settings.limits;
  const unpriced = budgetUsd === null ? undefined : planned.find(({ price }) => price === null);
  if (unpriced === undefined) return ok(planned);
  const { model, scripted } = unpriced;
  return err({ kind: "no-price", name: model.name, scripted, file: loaded.userPath });
}

async function planRole(
  surroundings: Surroundings,
  loaded: LoadedSettings,
  role: Role,
  atMs: number,
): Promise<Result<RoleModel | null, RoleModelError>> {
  const { model: named, maxOutputTokens, contextTokens } = loaded.settings.roles[role];
  if (named === null) return ok(null);
  const planned = await planModel(surroundings, loaded, named.value, atMs);
  if (!planned.ok) return planned;
  const { model, elsewhere } = planned.value;
  const provider = await openPlain(surroundings.host, model, {});
  if (!provider.ok) return err({ kind: "bad-model", name: modelNameText(named.value), message: provider.error });
  const { name: title, scripted, price } = provider.value;
  return ok({
    role,
    model,
    origin: named.origin,
    elsewhere,
    title,
    scripted,
    price,
    outputTokensMax: maxOutputTokens?.value ?? null,
    contextTokens: contextTokens?.value ?? (await knownWindow(surroundings, model, atMs)),
  });
}

async function knownWindow(surroundings: Surroundings, model: PlannedModel, atMs: number): Promise<number | null> {
  return model.kind === "provider" ? (await listedModel(surroundings, model, atMs)).contextTokens : null;
}

/** Each model once, however many roles have it. */
export function distinctModels(roles: readonly RoleModel[]): readonly PlannedModel[] {
  return [...new Map(roles.map(({ model }) => [model.name, model])).values()];
}

/** As the log and the worker host know them. */
export function modelNames(roles: readonly RoleModel[]): RecordData<"run_started">["models"] {
  const name = (role: RoleModel["role"]): string => roles.find((one) => one.role === role)?.model.name ?? "";
  return { planner: name("planner"), worker: name("worker"), arbiter: name("arbiter") };
}
