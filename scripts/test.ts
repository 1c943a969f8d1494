// `npm test [-- <filter or vitest flags>]`: runs the tests and closes with one line of counts.
import { closingLine, runTests } from "./test-run.ts";

const given = process.argv.slice(2);
const counts = await runTests({
  args: given.filter((arg) => arg !== "--full"),
  full: given.includes("--full"),
  strict: process.env.CI === "true",
});
for (const complaint of counts.complaints) console.log(complaint);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
