// Writes schema/skein.config.schema.json, the JSON Schema of skein.config.json, from the schema that the program checks with.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configJsonSchema } from "../src/app/config-schema.ts";

const root = dirname(import.meta.dirname);
const file = join(root, "schema", "skein.config.schema.json");

mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
const formatted = spawnSync(process.execPath, [biome, "format", "--write", file], {
  cwd: root,
  stdio: ["ignore", 1, 1],
});
process.exitCode = formatted.status ?? 1;
