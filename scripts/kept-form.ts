// The form of what `src/entries/kept-program.ts` runs.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** Gives the files, which are read together, one hash of all as their first line, and puts the function around each that Node would. */
export function giveKeptForm(files: readonly string[]): void {
  const texts = files.map((file) => readFileSync(file, "utf8"));
  const stamp = createHash("sha256").update(texts.join("\0")).digest("hex");
  files.forEach((file, index) => {
    const text = texts[index] ?? "";
    // One other character, and V8 keeps two bytes for each.
    if (/[^\0-\x7f]/.test(text)) throw new Error(`${file} is not ASCII`);
    writeFileSync(file, `// ${stamp}\n(function (exports, require, module, __filename, __dirname) {${text}\n})`);
  });
}
