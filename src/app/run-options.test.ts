// The command line of a run in its log: it goes on under the same limits and addresses, and no key is among them.

import { expect, test } from "vitest";
import { asPosition } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { runOptionsFold, runOptionsRecord, withOptions } from "./run-options.ts";
import { resolveSettings } from "./settings.ts";
import type { RunFlags } from "./swarm-types.ts";

const flags: RunFlags = {
  model: "openai-compatible/x",
  baseUrls: ["http://127.0.0.1:8080/v1"],
  budgetUsd: 2.5,
  workers: 8,
  check: "npm test",
  requestsPerMinute: 30,
  record: "/traffic",
  network: true,
  writable: ["/cache"],
};

const stored = (given: RunFlags) => {
  const env = { OPENAI_COMPATIBLE_API_KEY: "sk-test-0123456789abcdef" };
  const sources = { flags: given, project: null, user: null, env, cwd: "/", roles: ["worker" as const] };
  const record = runOptionsRecord(5, given, unwrap(resolveSettings(sources), "settings"));
  const state = runOptionsFold.initial();
  runOptionsFold.apply(state, { ...record, position: asPosition(3) });
  return { record, options: state.options };
};

test("what was given is kept, an address with its provider, and no model or key", () => {
  expect(stored(flags).record).toEqual({
    type: "run_options",
    version: 2,
    atMs: 5,
    data: {
      base_urls: ["openai-compatible=http://127.0.0.1:8080/v1"],
      budget_usd: 2.5,
      requests: null,
      tasks: null,
      depth: null,
      minutes: null,
      workers: 8,
      check: "npm test",
      budget_in_force_usd: 2.5,
      requests_per_minute: 30,
      record: "/traffic",
      sandbox: null,
      network: true,
      writable: ["/cache"],
    },
  });
});

test("what is given now wins, the rest is as before", () => {
  const { options } = stored(flags);
  const kept = { requests: undefined, tasks: undefined, depth: undefined, minutes: undefined };
  expect(withOptions({ budgetUsd: 10 }, options)).toEqual({
    ...kept,
    baseUrls: ["openai-compatible=http://127.0.0.1:8080/v1"],
    budgetUsd: 10,
    workers: 8,
    check: "npm test",
    requestsPerMinute: 30,
    record: "/traffic",
    sandbox: undefined,
    network: true,
    writable: ["/cache"],
  });
  expect(withOptions({ sandbox: "off", writable: ["/other"] }, options)).toMatchObject({
    sandbox: "off",
    network: true,
    writable: ["/other"],
  });
  expect(withOptions({ sandbox: "auto" }, stored({ ...flags, sandbox: "off" }).options).sandbox).toBe("auto");
  expect(withOptions({ baseUrls: ["http://127.0.0.1:9/v1"] }, options).baseUrls).toEqual(["http://127.0.0.1:9/v1"]);
  expect(withOptions({ budgetUsd: 1 }, null)).toEqual({ budgetUsd: 1 });
});

test("a record of version 1 says nothing of the sandbox", () => {
  const { record } = stored(flags);
  const { sandbox: _, network: __, writable: ___, ...data } = record.data as Record<string, unknown>;
  const state = runOptionsFold.initial();
  runOptionsFold.apply(state, { ...record, version: 1, data, position: asPosition(3) });
  expect(state.options).toEqual({ ...data, sandbox: null, network: null, writable: null });
});
