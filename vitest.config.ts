// Which tests run and how long one may take. Slow ones are named `*.full.test.ts` and run when SKEIN_FULL=1 is set; those with real agent
// clients are named `*.clients.test.ts` and run alone, by `npm run test:clients`; `*.scenario.test.ts` likewise, by `npm run test:clients --
// board`, and `*.all.test.ts` beside the first by `npm run test:clients -- all`. Tests of pieces (`src`) share their worker processes, so that modules are loaded once: none may leave anything behind in its
// process. Tests of the whole program (`test`) have one each.
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const full = process.env.SKEIN_FULL === "1";
const clients = process.env.SKEIN_CLIENTS !== undefined;
const kinds: Readonly<Record<string, string>> = { board: "scenario", all: "{clients,all}" };
const kind = kinds[process.env.SKEIN_CLIENT_TESTS ?? ""] ?? "clients";
// Fixtures are data, even where they look like tests.
const exclude = [...configDefaults.exclude, "**/fixtures/**"];
const others = ["**/*.{clients,scenario,all}.test.ts", ...(full ? [] : ["**/*.full.test.ts"])];
const programs = clients
  ? { include: [`test/clients/**/*.${kind}.test.ts`], exclude }
  : { include: ["test/**/*.test.ts"], exclude: [...exclude, ...others] };
const pieces = { include: ["src/**/*.test.ts"], exclude: [...exclude, ...others], isolate: false };

/** Short files that take long, mostly waiting: by their size they would come last, and all other workers would be idle by then. */
const first = ["kill", "kill-lone"];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(first.map((name, index) => [`${import.meta.dirname}/test/cli/${name}.test.ts`, index]));
    const place = ({ moduleId }: TestSpecification) => places.get(moduleId) ?? first.length;
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    // Whole-program tests mostly wait for processes: more of them at once than there are cores.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    testTimeout: full || clients ? 300_000 : 120_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "programs", ...programs } },
      ...(clients ? [] : [{ extends: true as const, test: { name: "pieces", ...pieces } }]),
    ],
  },
});
