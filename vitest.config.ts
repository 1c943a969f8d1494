// Which tests run and how long one may take. Slow ones are named `*.full.test.ts` and run when SKEIN_FULL=1 is set.
import { configDefaults, defineConfig } from "vitest/config";

const full = process.env.SKEIN_FULL === "1";
// Fixtures are data, even where they look like tests.
const exclude = [...configDefaults.exclude, "**/fixtures/**"];

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: full ? exclude : [...exclude, "**/*.full.test.ts"],
    // Whole-program tests mostly wait for processes: more of them at once than there are cores.
    maxWorkers: 3,
    testTimeout: full ? 300_000 : 60_000,
  },
});
