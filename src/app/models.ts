// Opens planned models: adapters are loaded when one is first asked for, everybody who asks one host with one key shares a limiter,
// and what is asked can be recorded.

import { basename } from "node:path";
import { unreachable } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import { type LimitedOptions, limited } from "../model/limited.ts";
import { createLimiter, LIMITER_SETTINGS, type Limiter } from "../model/limiter.ts";
import type { Provider } from "../model/provider.ts";
import { originOf } from "./base-url.ts";
import { keysIn, type PlannedModel } from "./model-plan.ts";

export interface ModelsOptions {
  readonly host: Host;
  readonly models: readonly PlannedModel[];
  readonly limits: RequestLimits;
  /** Directories that a recording knows by a name, so that it can be replayed elsewhere. */
  readonly places: Readonly<Record<string, string>>;
  /** Null records nothing. */
  readonly record: RecordOptions | null;
}

export interface RequestLimits {
  /** Of one host and key; null for no such limit. */
  readonly requestsPerMinute: number | null;
  /** Agents that may ask at once. */
  readonly agentsMax: number;
  /** An earlier process of this run may have asked within the last minute: its requests count against the limit. */
  readonly askedLately: boolean;
}

export interface RecordOptions {
  /** Absolute. */
  readonly directory: string;
  /** A sentence for the person, if the recording ends early. */
  readonly onNote: (text: string) => void;
}

export interface Models {
  /** By name; the error is a sentence for people. */
  open(name: string, limited?: LimitedOptions): Promise<Result<Provider, string>>;
  /** Ends the recording. */
  close(): Promise<void>;
}

export function openModels(options: ModelsOptions): Models {
  return new OpenModels(options);
}

class OpenModels implements Models {
  readonly #options: ModelsOptions;
  readonly #opened = new Map<string, Promise<Result<Provider, string>>>();
  readonly #limiters = new Map<string, Limiter>();
  #recording: Promise<Result<Recorder, string>> | null = null;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  async open(name: string, options: LimitedOptions = {}): Promise<Result<Provider, string>> {
    const model = this.#options.models.find((one) => one.name === name);
    if (model === undefined) return err(`the model ${name} is not one of this run`);
    const opened = this.#opened.get(name) ?? this.#openRecorded(model);
    this.#opened.set(name, opened);
    const provider = await opened;
    if (!provider.ok) {
      this.#opened.delete(name);
      return provider;
    }
    // What was written beforehand refuses nobody, and says its errors on purpose.
    if (model.kind !== "provider") return provider;
    return ok(limited(provider.value, this.#limiter(model), options));
  }

  async close(): Promise<void> {
    const recording = await this.#recording;
    if (recording?.ok) await recording.value.close();
  }

  async #openRecorded(model: PlannedModel): Promise<Result<Provider, string>> {
    const { host, record, places } = this.#options;
    const provider = await openPlain(host, model, places);
    if (!provider.ok || record === null) return provider;
    this.#recording ??= openRecorder(this.#options, record);
    const recording = await this.#recording;
    return recording.ok ? ok(recording.value.recorded(provider.value)) : recording;
  }

  #limiter({ baseUrl, apiKey }: PlannedModel & { readonly kind: "provider" }): Limiter {
    const key = JSON.stringify([originOf(baseUrl), apiKey]);
    const limiter = this.#limiters.get(key) ?? makeLimiter(this.#options);
    this.#limiters.set(key, limiter);
    return limiter;
  }
}

function makeLimiter({ host: { clock, random }, limits }: ModelsOptions): Limiter {
  const { requestsPerMinute, agentsMax, askedLately } = limits;
  const concurrentMax = Math.max(LIMITER_SETTINGS.concurrentMax, agentsMax);
  const requestsBefore = askedLately ? (requestsPerMinute ?? 0) : 0;
  return createLimiter({ clock, random, settings: { requestsPerMinute, concurrentMax }, requestsBefore });
}

/** The model itself: not limited, not recorded. */
export async function openPlain(
  host: Host,
  model: PlannedModel,
  places: ModelsOptions["places"],
): Promise<Result<Provider, string>> {
  switch (model.kind) {
    case "script": {
      const { loadScript } = await import("../adapters/script-model/provider.ts");
      const loaded = await loadScript(host, model.file);
      return loaded.ok ? loaded : err(loaded.error.message);
    }
    case "replay": {
      const { openReplay } = await import("../adapters/record/replay.ts");
      const opened = await openReplay(host, model.directory, { shownAs: basename(model.directory), places });
      return opened.ok ? opened : err(`${opened.error.path}: ${opened.error.message}`);
    }
    case "provider": {
      const { openAiSdkModel } = await import("../adapters/ai-sdk/provider.ts");
      const { name, provider, model: id, baseUrl, apiKey, price } = model;
      // Ollama speaks Chat Completions.
      const kind = provider === "ollama" ? "openai-compatible" : provider;
      return openAiSdkModel({ kind, model: id, name, apiKey, baseUrl, price, clock: host.clock });
    }
    default:
      return unreachable(model);
  }
}

/** Loads what the first request to it needs. What goes wrong is told by the request. */
export async function loadAhead(model: PlannedModel): Promise<void> {
  if (model.kind !== "provider") return;
  const { loadKind } = await import("../adapters/ai-sdk/kinds.ts");
  const { provider, baseUrl } = model;
  await loadKind(provider === "ollama" ? "openai-compatible" : provider, baseUrl).catch(() => {});
}

interface Recorder {
  recorded(provider: Provider): Provider;
  close(): Promise<void>;
}

async function openRecorder(
  { host: { files, clock }, models, places }: ModelsOptions,
  { directory, onNote }: RecordOptions,
): Promise<Result<Recorder, string>> {
  const [{ openRecording }, { recorded }] = await Promise.all([
    import("../adapters/record/recording.ts"),
    import("../adapters/record/recorded.ts"),
  ]);
  const onFailure = ({ path, message }: { readonly path: string; readonly message: string }): void =>
    onNote(`the recording ends here, the work goes on: ${path}: ${message}`);
  const secrets = keysIn(models);
  const recording = await openRecording({ files, clock, directory, places, secrets, onFailure });
  if (!recording.ok) return err(`${recording.error.path} cannot be recorded to: ${recording.error.message}`);
  return ok({
    recorded: (provider) => recorded(provider, recording.value),
    close: async () => void (await recording.value.close()),
  });
}
