// All tidy rules by name. Adding one here demands a proof of it in the test, by type.
import type { Rule } from "./finding.ts";
import { headerComments, namedExports, noAny, shortFiles, tellingNames, testsAssert } from "./form.ts";
import { importTable } from "./import-table.ts";
import { nothingOutside } from "./outside.ts";
import { noTraces } from "./traces.ts";

export const RULES = {
  importTable,
  nothingOutside,
  shortFiles,
  headerComments,
  namedExports,
  noAny,
  tellingNames,
  testsAssert,
  noTraces,
} satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;
