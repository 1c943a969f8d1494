// Output without streams into what real programs have behind their standard output: a pipe that is full and does not wait, and one
// that nobody reads any more.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-output-"));
});
afterEach(() => rmSync(root, { recursive: true }));

vi.setConfig({ testTimeout: 40_000 });

const linesOut = 30_000;
const wholeOutput = `${Array.from({ length: linesOut }, (_, line) => `line ${line}`).join("\n")}\nthe last one\n`;

/** Prints the lines and one more, and says when it opens the stream. */
const program = `
  const { directOutputs } = await import(${JSON.stringify(new URL("./direct-output.ts", import.meta.url).href)});
  const { writeSync } = await import("node:fs");
  // As a program that has the same output would: what waits and what does not is the pipe's, not the process's.
  if (process.argv.includes("--non-blocking")) new (await import("node:net")).Socket({ fd: 1, readable: false });
  const { get } = Object.getOwnPropertyDescriptor(process, "stdout");
  const opening = () => (writeSync(2, "stream "), get.call(process));
  Object.defineProperty(process, "stdout", { get: opening, configurable: true });
  const { out, note } = directOutputs({ out: () => process.exit(7), note: () => {} });
  out.write(Array.from({ length: ${linesOut} }, (_, line) => "line " + line + "\\n").join(""));
  out.write("the last one\\n");
  process.on("exit", () => note.write("ended\\n"));`;

function start(output: number | "pipe", ...args: readonly string[]) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, "--", ...args], {
    stdio: ["ignore", output, "pipe"],
  });
  let told = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  return { child, told: () => told };
}

test("into a pipe with a reader all goes without the stream", async () => {
  const { child, told } = start("pipe");
  let seen = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    seen += text;
  });
  const [code] = await once(child, "close");
  expect([code, seen === wholeOutput, told()]).toEqual([0, true, "ended\n"]);
});

test("what a full pipe in non-blocking mode does not take goes through the stream, whole and in order", async () => {
  const path = join(root, "pipe");
  execFileSync("mkfifo", [path]);
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  const writer = openSync(path, O_WRONLY | O_NONBLOCK);
  const { child, told } = start(writer, "--non-blocking");
  closeSync(writer);
  const ended = once(child, "close");
  const chunks: Buffer[] = [];
  // Nothing is read before it is full.
  while (!told().includes("stream")) await delay(5);
  for (;;) {
    const chunk = Buffer.alloc(16_384);
    const count = readNow(reader, chunk);
    if (count === 0) break;
    if (count === null) await delay(5);
    else chunks.push(chunk.subarray(0, count));
  }
  closeSync(reader);
  const [code] = await ended;
  expect([code, Buffer.concat(chunks).toString() === wholeOutput, told()]).toEqual([0, true, "stream ended\n"]);
});

test("an end that could not be told is told to the program", async () => {
  const { child, told } = start("pipe");
  child.stdout?.destroy();
  const [code] = await once(child, "close");
  expect([code, told()]).toEqual([7, "stream ended\n"]);
});

function readNow(descriptor: number, chunk: Buffer): number | null {
  try {
    return readSync(descriptor, chunk);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EAGAIN") return null;
    throw cause;
  }
}
