#!/usr/bin/env node
// The command: hands its arguments to src/cli.js and writes what comes back.

import { readFileSync } from "node:fs";
import { run } from "../src/cli.js";

const result = run(process.argv.slice(2), () => readFileSync(0, "utf8"));
process.stdout.write(result.output);
process.stderr.write(result.errors);
process.exitCode = result.status;
