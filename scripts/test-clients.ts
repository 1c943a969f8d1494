// `npm run test:clients [-- <filter or vitest flags>]`: the tests with real agent clients, and one line of counts. `-- board` runs the board's
// scenarios: minutes of clients on terminals, which are not among the others.
import { runClientTests } from "./real-clients.ts";
import { closingLine } from "./test-run.ts";

const args = process.argv.slice(2);
const scenarios = args.includes("board");
const counts = await runClientTests({ args, strict: process.env.CI === "true", scenarios });
for (const complaint of counts.complaints) console.log(complaint);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
