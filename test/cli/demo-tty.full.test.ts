// The demo in a real terminal: what a person sees while it runs, what stands there afterwards, and what state the terminal is in.

import { describe, expect, test } from "vitest";
import { processesIn, sandbox } from "../support/sandbox.ts";
import { bundle, eventually } from "../support/skein.ts";
import { hasTmux, type Terminal, terminal } from "../support/tmux.ts";

const wholeMs = 120_000;

/** Says after the program how it ended, then waits, so that the screen stays. */
const command = (line: string): string => `${process.execPath} ${bundle} ${line}; echo "ended with $?"; exec sleep 600`;

describe.skipIf(!hasTmux)("the live screen, in tmux (skipped where tmux is absent)", () => {
  test.concurrent.each([
    [80, 24],
    [120, 40],
  ])(
    "%i x %i: the task tree while it runs, then the summary, and a sane terminal",
    { timeout: wholeMs },
    async (columns, rows) => {
      using box = sandbox();
      using tty = terminal(box, { columns, rows, command: command("demo") });
      const frames = await watch(tty);

      // Each frame fits: what tmux had to wrap would be longer than the screen is wide.
      const tooWide = frames.flat().filter((line) => [...line].length > columns);
      expect(tooWide).toEqual([]);
      expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(rows);
      const all = frames.map((frame) => frame.join("\n"));
      for (const shown of [
        /^skein \d{8}-\d{6}-\w{4} · scripted model · [\d.]+ m?s$/m,
        /^goal: Build calc/m,
        /^◆ root +planning +a1 /m,
        /^◌ root +waits +a1 .*waits for its tasks$/m,
        /^ {2}● tokenize +running +a\d+ +[\d.]+ m?s {2}\S/m,
        /^ {2}◌ cli +waits +after /m,
        /^ {4}[○●] rounding +(ready|running)/m,
        /^ {2}! (power|modulo) +conflicted +c1 waits for the arbiter$/m,
        /^ {4}● c1 +running +a\d+/m,
        /^ {2}✓ power +done/m,
        /^tasks: \d+ done, 4 running, \d+ waiting/m,
        /^landed: \d+ commits, [12] merges?, 1 conflict$/m,
        /^model: \d+ requests, [\d.]+k tokens in, [\d.]+k out, \$0\.\d{4} \(scripted\)$/m,
      ]) {
        expect(
          all.some((frame) => shown.test(frame)),
          String(shown),
        ).toBe(true);
      }

      const end = tty.lines();
      // One tree stays, the last, and no earlier frame's remains.
      expect(end.filter((line) => line.includes("· scripted model ·"))).toHaveLength(1);
      expect(end.filter((line) => /^✓ root +done/.test(line))).toHaveLength(1);
      expect(end.filter((line) => /running|planning/.test(line) && /^\s*[◆●]/.test(line))).toEqual([]);
      const summary = end.slice(end.findIndex((line) => line.includes(" finished: ")));
      expect(summary.join("\n")).toMatch(
        /10 done, 0 failed, 0 dropped[\s\S]*scripted model[\s\S]*git -C [\s\S]*passes on the branch/,
      );
      expect(end.at(-1)).toBe("ended with 0");
      expect(tty.ask("#{cursor_flag} #{alternate_on} #{cursor_x} #{scroll_region_upper}")).toBe("1 0 0 0");
    },
  );

  test.concurrent("Ctrl-C ends it in order, with its summary and a sane terminal", { timeout: wholeMs }, async () => {
    using box = sandbox();
    using tty = terminal(box, { columns: 80, rows: 24, command: command("demo") });
    await eventually("workers run", () => (tty.screen().some((line) => line.includes("● power")) ? true : null));
    tty.type("C-c");
    await eventually("it ends", () => (isOver(tty) ? true : null));
    const end = tty.lines();
    expect(end.join("\n")).toMatch(/stopped: stopped by the person who started it/);
    expect(end.join("\n")).toMatch(/check +node --test: was not run/);
    expect(end.at(-1)).toBe("ended with 130");
    expect(tty.ask("#{cursor_flag} #{alternate_on} #{cursor_x}")).toBe("1 0 0");
    expect(
      processesIn(box).filter(
        ({ command: line }) => /skein\.js demo|worker-host\.js/.test(line) && !/^(sh|tmux)/.test(line),
      ),
    ).toEqual([]);
  });
});

function isOver(tty: Terminal): boolean {
  return tty.lines().some((line) => line.startsWith("ended with "));
}

/** Frames of the live screen, seen every now and then until the end: from its title to its last figures, wrapped lines joined. */
async function watch(tty: Terminal): Promise<readonly (readonly string[])[]> {
  const frames: (readonly string[])[] = [];
  await eventually("the demo ends", () => {
    const lines = tty.lines();
    const title = lines.findLastIndex((line) => line.includes("· scripted model ·"));
    const figures = lines.findIndex((line, index) => index > title && line.startsWith("model: "));
    // What is captured while a frame is being written is no frame.
    if (title !== -1 && figures !== -1) frames.push(lines.slice(title, figures + 1));
    return isOver(tty) ? true : null;
  });
  return frames;
}
