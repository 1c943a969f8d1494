// `npm run test:clients [-- <filter or vitest flags>]`: the tests with real agent clients, and one line of counts. `-- board` runs the board's
// scenarios: minutes of clients on terminals, which are not among the others. `-- all` runs every client's, which brings 1 GB more.
import { type ClientTests, runClientTests } from "./real-clients.ts";
import { closingLine } from "./test-run.ts";

const kinds: readonly ClientTests[] = ["board", "all"];
const given = process.argv.slice(2);
const kind = kinds.find((one) => given.includes(one)) ?? "clients";
// The board's word is also a filter for its files.
const args = given.filter((word) => word !== "all");
const counts = await runClientTests({ args, strict: process.env.CI === "true", kind });
for (const complaint of counts.complaints) console.log(complaint);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
