// `npm run test:clients [-- <filter or vitest flags>]`: the tests with real agent clients, and one line of counts.
import { runClientTests } from "./real-clients.ts";
import { closingLine } from "./test-run.ts";

const counts = await runClientTests({ args: process.argv.slice(2), strict: process.env.CI === "true" });
for (const complaint of counts.complaints) console.log(complaint);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
