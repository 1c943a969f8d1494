// Runs a fake server by hand: node test/servers/main.ts --script <file> [--port 0] [--key <key>] [--faults <file>]
// [--concurrent <n>] [--per-minute <n>] [--log <file>]. Prints its address; each request is a line of JSON in the log.

import { appendFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseScript } from "../../src/adapters/script-model/format.ts";
import { drawn, type Faults, parseFaults } from "./behaviour.ts";
import { type SeenRequest, startFakeServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    script: { type: "string" },
    port: { type: "string", default: "0" },
    key: { type: "string" },
    faults: { type: "string" },
    concurrent: { type: "string" },
    "per-minute": { type: "string" },
    log: { type: "string" },
  },
});

if (values.script === undefined) stop("--script <file> is missing: the answers");
const script = parseScript(readFileSync(values.script, "utf8"), values.script);
if (!script.ok) stop(`${values.script}: ${script.error.message}`);
const faults = values.faults === undefined ? null : faultsIn(values.faults);
const { log, concurrent, "per-minute": perMinute } = values;

const server = await startFakeServer({
  script: script.value,
  port: number("--port", values.port),
  apiKey: values.key ?? null,
  ...(faults !== null && { behave: (request) => drawn(faults, request.number) }),
  ...(concurrent !== undefined && { concurrentMax: number("--concurrent", concurrent) }),
  ...(perMinute !== undefined && { perMinuteMax: number("--per-minute", perMinute) }),
  ...(log !== undefined && { onAnswered: (request) => appendFileSync(log, `${JSON.stringify(lineOf(request))}\n`) }),
});
process.stdout.write(`${server.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close().then(() => process.exit(0)));

function lineOf({
  number,
  atMs,
  protocol,
  model,
  role,
  taskKeys,
  turn,
  tools,
  cacheMarkers,
  outcome,
  body,
}: SeenRequest) {
  return { number, atMs, protocol, model, role, taskKeys, turn, tools, cacheMarkers, outcome, body };
}

function faultsIn(path: string): Faults {
  const parsed = parseFaults(readFileSync(path, "utf8"));
  return parsed.ok ? parsed.value : stop(`${path}: ${parsed.error}`);
}

function number(name: string, text: string): number {
  return /^\d+$/.test(text) ? Number(text) : stop(`${name} takes a whole number, not ${text}`);
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
