// A run's traces for people and measurements: `requests.jsonl`, `tools.jsonl` and `hooks.jsonl`, a line each, every one with the agent it is
// of and that one's parent. Lines are appended in the order in which they are told; what cannot be written is said once and costs no work.

import { join } from "node:path";
import type { HookRun } from "../agent/call-hooks.ts";
import { attemptsSent, type RequestReport } from "../agent/request-report.ts";
import type { AgentTrace, CallTrace, Traced } from "../agent/trace.ts";
import type { FileHandle, Files } from "../host/files.ts";

export interface TraceFiles extends AgentTrace {
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

export function openTraceFiles(files: Files, run: string, onNote: (text: string) => void): TraceFiles {
  let noted = false;
  const onFailure = (message: string) => {
    if (!noted) onNote(`requests and calls are not traced any more, the work goes on: ${message}`);
    noted = true;
  };
  const file = (name: string) => new TraceFile(files, join(run, name), onFailure);
  const [requests, tools, hooks] = [file("requests.jsonl"), file("tools.jsonl"), file("hooks.jsonl")];
  return {
    request: (who, report) => requests.add(requestFields(who, report)),
    call: (who, call) => {
      tools.add(callFields(who, call));
      const { turn, index, callId } = call;
      for (const run of call.hooks) hooks.add(hookFields(who, { turn, index, call_id: callId }, run));
    },
    hooks: (who, runs) => {
      for (const run of runs) hooks.add(hookFields(who, { turn: null, index: null, call_id: null }, run));
    },
    close: async () => {
      for (const file of [requests, tools, hooks]) await file.close();
    },
  };
}

function whoFields({ agent, parent }: Traced) {
  return { agent_id: agent, parent_id: parent };
}

function requestFields(who: Traced, report: RequestReport): object {
  const { turn, provider, scripted, outcome, error, usage, costUsd, startMs, endMs, durationMs, waitedMs } = report;
  return {
    ...whoFields(who),
    turn,
    provider,
    scripted,
    outcome,
    error: error === null ? null : { code: error.code, message: error.message },
    started_at_ms: startMs,
    ended_at_ms: endMs,
    waiting_ms: waitedMs,
    execution_ms: Math.max(0, durationMs - waitedMs),
    attempts: attemptsSent(report),
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    cost_usd: costUsd,
  };
}

function callFields(who: Traced, call: CallTrace): object {
  const { turn, index, callId, name, outcome, queuedAtMs, startedAtMs, endedAtMs, spent } = call;
  return {
    ...whoFields(who),
    turn,
    index,
    call_id: callId,
    name,
    outcome,
    queued_at_ms: queuedAtMs,
    started_at_ms: startedAtMs,
    ended_at_ms: endedAtMs,
    waiting_ms: spent.waitingMs,
    hook_ms: spent.hookMs,
    approval_ms: spent.approvalMs,
    execution_ms: spent.executionMs,
  };
}

interface HookPlace {
  /** Null for what is about no call. */
  readonly turn: number | null;
  readonly index: number | null;
  readonly call_id: string | null;
}

function hookFields(who: Traced, at: HookPlace, run: HookRun): object {
  const { event, command, outcome, exitCode, startMs, durationMs } = run;
  return {
    ...whoFields(who),
    ...at,
    event,
    command,
    outcome,
    exit_code: exitCode,
    started_at_ms: startMs,
    duration_ms: durationMs,
  };
}

/** Opened with the first line. What comes while a write is under way goes out with the next one. */
class TraceFile {
  private readonly files: Files;
  private readonly path: string;
  private readonly onFailure: (message: string) => void;
  private handle: FileHandle | null = null;
  private waiting: string[] = [];
  private writing: Promise<void> | null = null;
  private failed = false;

  constructor(files: Files, path: string, onFailure: (message: string) => void) {
    this.files = files;
    this.path = path;
    this.onFailure = onFailure;
  }

  add(fields: object): void {
    if (this.failed) return;
    this.waiting.push(JSON.stringify(fields));
    this.writing ??= this.write();
  }

  async close(): Promise<void> {
    await this.writing;
    await this.handle?.close();
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0 && !this.failed) {
      const lines = this.waiting;
      this.waiting = [];
      const handle = await this.opened();
      const appended = await handle?.append([Buffer.from(`${lines.join("\n")}\n`)]);
      if (appended?.ok === false) this.fail(appended.error.message);
    }
    this.writing = null;
  }

  private async opened(): Promise<FileHandle | null> {
    if (this.handle !== null) return this.handle;
    const opened = await this.files.open(this.path, "append", { private: true });
    if (!opened.ok) {
      this.fail(opened.error.message);
      return null;
    }
    this.handle = opened.value;
    // A crash may have torn the last line of a run that goes on: the next one begins on its own.
    const size = await opened.value.size();
    const last = size.ok && size.value > 0 ? await opened.value.read(size.value - 1, 1) : null;
    if (last?.ok === true && last.value[0] !== newline) await opened.value.append([Buffer.from("\n")]);
    return this.handle;
  }

  private fail(message: string): void {
    this.failed = true;
    this.onFailure(message);
  }
}

const newline = 10;
