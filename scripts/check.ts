// `npm run check`: every check of the repository, all of them even when one fails.
// Invariant: the last line is `N passed, N failed` of the tests, where each other step that failed counts as one more.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { runClientTests } from "./real-clients.ts";
import { closingLine, runTests, type TestCounts } from "./test-run.ts";

const root = dirname(import.meta.dirname);
const inModules = (path: string) => join(root, "node_modules", path);

// The bundle comes before the tests: those of the whole program run it.
const STEPS = [
  { name: "types", args: [inModules("typescript/bin/tsc"), "--noEmit"] },
  {
    name: "lint and format",
    args: [
      inModules("@biomejs/biome/bin/biome"),
      "ci",
      "--error-on-warnings",
      `--colors=${process.stdout.isTTY ? "force" : "off"}`,
    ],
  },
  { name: "dead code", args: [inModules("knip/bin/knip.js"), "--no-progress"] },
  { name: "bundle", args: [join(root, "scripts", "build.ts")] },
];

const summary: string[] = [];
let failedSteps = 0;
for (const { name, args } of STEPS) {
  await step(name, () => spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 1, 1] }).status === 0);
}
const strict = process.env.CI === "true";
const tests = await step("tests", () => runTests({ args: [], full: false, strict }));
const clients = await step("real agent clients", () => runClientTests({ args: [], strict }));
for (const complaint of [...tests.complaints, ...clients.complaints]) console.log(complaint);
console.log(`\n${summary.join("\n")}`);
const total = {
  passed: tests.passed + clients.passed,
  failed: tests.failed + clients.failed + failedSteps,
  skipped: tests.skipped + clients.skipped,
};
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

/** Runs one step, prints what it was, how it went and how long it took, and gives back its result. */
async function step<T extends boolean | TestCounts>(name: string, run: () => T | Promise<T>): Promise<T> {
  console.log(`\n== ${name}`);
  const startedAt = performance.now();
  const result = await run();
  const ok = typeof result === "boolean" ? result : result.failed === 0;
  const line = `${ok ? "ok    " : "FAILED"} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`;
  console.log(line);
  summary.push(line);
  if (result === false) failedSteps += 1;
  return result;
}
