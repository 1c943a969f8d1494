// A call that the disk refused is made again later; one that failed by itself is the model's to act on.

import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, loneCall, type Tool, type ToolAnswer } from "../../../agent/tool.ts";
import { asAgentId, asCallId } from "../../../base/ids.ts";
import { simHost } from "../../../testing/sim/host.ts";
import { DiskWatch } from "../disk-watch.ts";
import { soundTools } from "./sound.ts";

const context = loneCall({ agent: asAgentId("a1"), callId: asCallId("c1"), signal: new AbortController().signal });

async function met(act: (disk: DiskWatch) => Promise<ToolAnswer>, full: boolean) {
  const { files, disk: hardware } = simHost({ seed: 1 });
  await files.makeDirectory("/agents");
  const disk = new DiskWatch(files);
  const tool: Tool = defineTool({
    name: "acts",
    description: "",
    input: z.object({}),
    effect: "write",
    run: () => act(disk),
  });
  let refused = 0;
  const [sound] = soundTools([tool], { disk, probe: "/agents/a1.probe", onRefused: () => void refused++ });
  if (full) hardware.failNext({ op: "write", code: "no-space", times: Number.POSITIVE_INFINITY });
  const answer = await sound?.run({}, context);
  const left = await files.list("/agents", 10);
  const probes = left.ok ? left.value.filter(({ name }) => name.endsWith(".probe")).length : "no list";
  return [answer?.kind, refused, probes];
}

const write = async (disk: DiskWatch): Promise<ToolAnswer> => {
  const written = await disk.files.write("/agents/x", new Uint8Array(1));
  return written.ok ? { kind: "text", text: "written" } : { kind: "fault", text: written.error.message };
};
const says = (text: string) => async (): Promise<ToolAnswer> => ({ kind: "error", text });

test("S21 a write of ours that met the full disk is cancelled", async () => {
  expect(await met(write, true)).toEqual(["cancelled", 1, 0]);
  expect(await met(write, false)).toEqual(["text", 0, 0]);
});

test("S21 what a command says of a full disk counts where the disk refuses us too", async () => {
  const failing = says("exit code 1\nseq: write error: No space left on device");
  expect(await met(failing, true)).toEqual(["cancelled", 1, 0]);
  const going = async (): Promise<ToolAnswer> => ({
    kind: "text",
    text: "exit code 0\nsh: write error: No space left on device\nok",
  });
  expect(await met(going, true)).toEqual(["cancelled", 1, 0]);
  expect(await met(going, false)).toEqual(["text", 0, 0]);
  // Its own small disk, or a text that it only printed.
  expect(await met(failing, false)).toEqual(["error", 0, 0]);
  expect(await met(says("exit code 1"), true)).toEqual(["error", 0, 0]);
});

test("S21 so is a call that was thrown out of its work by the disk; any other throw is a bug", async () => {
  const thrown = (message: string) => () => Promise.reject(new Error(message));
  expect(await met(thrown("the workspace cannot be made: ENOSPC: no space left on device"), true)).toEqual([
    "cancelled",
    1,
    0,
  ]);
  await expect(met(thrown("x is undefined"), true)).rejects.toThrow("x is undefined");
});

test("an end that the coordinator has taken stands", async () => {
  const ends = async (disk: DiskWatch): Promise<ToolAnswer> => {
    await write(disk);
    return { kind: "end", text: "accepted", value: null };
  };
  expect(await met(ends, true)).toEqual(["end", 0, 0]);
});
