// Which tests run and how long one may take. Slow ones are named `*.full.test.ts` and run when SKEIN_FULL=1 is set; those with real agent
// clients are named `*.clients.test.ts` and run alone, by `npm run test:clients`; `*.scenario.test.ts` likewise, by `npm run test:clients -- board`.
import { configDefaults, defineConfig } from "vitest/config";

const full = process.env.SKEIN_FULL === "1";
const clients = process.env.SKEIN_CLIENTS !== undefined;
const kind = process.env.SKEIN_CLIENT_SCENARIOS === "1" ? "scenario" : "clients";
// Fixtures are data, even where they look like tests.
const exclude = [...configDefaults.exclude, "**/fixtures/**"];

export default defineConfig({
  test: {
    include: clients ? [`test/clients/**/*.${kind}.test.ts`] : ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: clients
      ? exclude
      : [...exclude, "**/*.{clients,scenario}.test.ts", ...(full ? [] : ["**/*.full.test.ts"])],
    // Whole-program tests mostly wait for processes: more of them at once than there are cores.
    maxWorkers: 3,
    testTimeout: full || clients ? 300_000 : 60_000,
  },
});
