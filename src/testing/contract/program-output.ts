// What every ProgramOutput keeps, tried on real programs.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import type { ProgramOutput, ProgramQuestion } from "../../host/program-output.ts";

export function describeProgramOutput(name: string, ask: ProgramOutput): void {
  const question = (script: string, more: Partial<ProgramQuestion> = {}): ProgramQuestion => ({
    argv: ["/bin/sh", "-c", script],
    cwd: tmpdir(),
    env: { WORD: "só" },
    msMax: 30_000,
    bytesMax: 1_000,
    ...more,
  });
  const text = async (asked: ProgramQuestion): Promise<string | null> => {
    const bytes = await ask(asked);
    return bytes === null ? null : Buffer.from(bytes).toString("utf8");
  };

  test(`${name}: gives what was printed, with the environment that it was given and no input`, async () => {
    expect(await text(question('printf "%s|%s|" "$WORD" "$HOME"; cat; echo noise >&2'))).toBe("só||");
    expect(await text(question(":"))).toBe("");
  });

  test(`${name}: null for another exit code, a missing program, a missing directory`, async () => {
    const missing = question("", { argv: ["skein-no-such-program"] });
    const answers = [question("echo half; exit 3"), missing, question("echo", { cwd: "/nonexistent/skein" })];
    expect(await Promise.all(answers.map(text))).toEqual([null, null, null]);
  });

  test(`${name}: null beyond a limit, and the program is not waited for`, async () => {
    const endless = 'while :; do printf "%s" 0123456789; done';
    expect(await text(question(endless))).toBe(null);
    // The limit ends it: without one the test itself would not.
    expect(await text(question("exec sleep 600", { msMax: 20 }))).toBe(null);
    expect(await text(question("printf %01000d 0"))).toBe("0".repeat(1_000));
  });
}
