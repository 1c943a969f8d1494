// Runs vitest and counts its results from its own report, so that the last line is never a guess.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export type TestCounts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed beyond single tests, one sentence each; every one is counted in `failed`. */
  readonly complaints: readonly string[];
};

const root = dirname(import.meta.dirname);

export type TestRun = {
  readonly args: readonly string[];
  readonly full: boolean;
  /** For CI: a skipped test is a failure. */
  readonly strict: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the command that follows it. */
  readonly prefix?: readonly string[];
};

/** Runs the tests with normal output. */
export async function runTests(options: TestRun): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), "skein-test-"));
  const reportPath = join(folder, "report.json");
  try {
    const exitCode = await runVitest(reportPath, options);
    return count(readReport(reportPath), exitCode, options.strict);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The plain closing line that people and machines read. */
export function closingLine({ passed, failed, skipped }: Omit<TestCounts, "complaints">): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

function runVitest(reportPath: string, { args, full, env = {}, prefix = [] }: TestRun): Promise<number> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
  const [program = process.execPath, ...rest] = [...prefix, process.execPath, vitest, "run", ...reporters, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      cwd: root,
      env: { ...process.env, ...(full ? { SKEIN_FULL: "1" } : {}), ...env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** The part of vitest's JSON report that is read here; it follows Jest's format. */
type Report = {
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
};

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function count(report: Report | undefined, exitCode: number, strict: boolean): TestCounts {
  if (report === undefined) {
    return { passed: 0, failed: 1, skipped: 0, complaints: [`the test runner ended with ${exitCode} and no report`] };
  }
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const failedTests = tests.filter((test) => test.status === "failed").length;
  const skipped = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
  const complaints: string[] = [];
  for (const file of report.testResults) {
    const failedInside = file.assertionResults.some((test) => test.status === "failed");
    if (file.status === "failed" && !failedInside)
      complaints.push(`${relative(root, file.name)} failed outside its tests`);
  }
  if (strict) for (const test of skipped) complaints.push(`skipped, which CI does not allow: ${test.fullName}`);
  if (tests.length === 0) complaints.push("no test was run");
  // An unhandled rejection between tests fails the run and belongs to none of them.
  if (exitCode !== 0 && failedTests + complaints.length === 0)
    complaints.push(`the test runner ended with ${exitCode}`);
  return { passed, failed: failedTests + complaints.length, skipped: strict ? 0 : skipped.length, complaints };
}
