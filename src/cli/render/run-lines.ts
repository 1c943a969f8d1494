// Progress of `skein run` as lines that stay: what began, and what ended with its time. On a terminal they stand above the live frame.

import type { ApprovalEvent } from "../../agent/approval/question.ts";
import type { FamilyEvent } from "../../agent/family-event.ts";
import type { AgentEvent } from "../../agent/spec.ts";
import type { AgentId } from "../../base/ids.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import type { Colors } from "../io.ts";
import { cost, count, duration, plural, tokens } from "./figures.ts";
import { argumentHint, type RunBoard, subjectText } from "./run-board.ts";

export interface LineOptions {
  readonly board: RunBoard;
  readonly root: AgentId;
  readonly nowMs: number;
  readonly colors: Colors;
  /** A live frame shows what runs: only what ended gets a line. */
  readonly live: boolean;
}

/** What the agent said stands in its lines only when calls follow: its last words are the answer. */
const textCharsMax = 4_000;

/** Lines of an event; `before` the board has seen it. */
export function eventLines(agent: AgentId, event: AgentEvent, options: LineOptions): readonly string[] {
  const { board, root, nowMs, colors, live } = options;
  const who = agent === root ? "" : `${agent} `;
  switch (event.kind) {
    case "call-started":
      return live ? [] : [`> ${who}${cleanLine(event.call.name, 60)} ${argumentHint(event.call)}`.trimEnd()];
    case "call-ended": {
      const call = board.line(agent)?.calls.find(({ callId }) => callId === event.result.callId);
      const { isError, name, text } = event.result;
      // Its child has a line of its own.
      if (!isError && board.isDelegation(event.result.callId)) return [];
      const mark = isError ? colors.red("✗") : colors.green("✓");
      const spent = call === undefined ? "" : ` ${duration(nowMs - call.sinceMs)}`;
      const line = `  ${mark} ${who}${cleanLine(name, 60)} ${call?.hint ?? ""}`.trimEnd() + colors.dim(spent);
      return isError ? [line, colors.dim(`    ${event.outcome}: ${cleanLine(text, 300)}`)] : [line];
    }
    case "attempt": {
      const { attempt } = event;
      if (attempt.kind !== "ended" || attempt.report.error === null) return [];
      return [
        `  ${who}${colors.yellow("the model failed")} (${attempt.report.error.code}): ${cleanLine(attempt.report.error.message, 300)}`,
      ];
    }
    case "compacted": {
      if (event.how === "none")
        return [
          `  ${who}context is nearly full (${count(event.tokensBefore)} tokens), and a summary would not make it shorter: it stays`,
        ];
      const how = event.how === "summary" ? "the model's summary" : "a digest, since the model gave no summary,";
      const sizes = `${count(event.tokensBefore)} → ${count(event.tokensAfter)} tokens`;
      return [`  ${who}context was nearly full: ${how} stands for what is oldest (${sizes}); the transcript keeps all`];
    }
    case "internal-error":
      return [
        `  ${who}${colors.red("internal error")} in ${cleanLine(event.call.name, 60)}: ${cleanLine(event.message, 500)}`,
      ];
    default:
      return [];
  }
}

/** A question is shown when its turn comes; what was answered stays. */
export function approvalLines(event: ApprovalEvent, { root, colors }: LineOptions): readonly string[] {
  if (event.kind === "waiting") return [];
  const { question, answer, waitedMs } = event;
  const who = question.agent === root ? "" : `${question.agent} `;
  const mark = {
    yes: "allowed",
    always: "allowed from now on",
    covered: "allowed by your answer before",
    no: "refused",
    none: "not answered",
  };
  const words = answer === "no" || answer === "none" ? colors.red(mark[answer]) : colors.green(mark[answer]);
  return [`  ${words} ${who}${subjectText(question)} ${colors.dim(`waited ${duration(waitedMs)}`)}`];
}

/** What an agent said beside its calls. */
export function textLines(text: string): readonly string[] {
  const clean = cleanText(text.trim(), textCharsMax);
  return clean === "" ? [] : [clean];
}

export function familyLines(event: FamilyEvent, { board, colors, live }: LineOptions): readonly string[] {
  switch (event.kind) {
    case "child-queued":
      return [];
    case "child-started": {
      const { child, concurrent } = event;
      return live ? [] : [`> ${child} starts (${concurrent} at once): ${board.line(child)?.task ?? ""}`.trimEnd()];
    }
    case "child-ended": {
      const { child, outcome, detail, totals, durationMs } = event;
      const mark = outcome === "done" ? colors.green("✓") : colors.red("✗");
      const task = board.line(child)?.task ?? "";
      const { requests, usage, costUsd } = totals;
      const sums = `${plural(requests, "request")}, ${tokens(usage.inputTokens, usage.outputTokens)}, ${cost(costUsd)}`;
      const why = outcome === "done" ? "" : ` ${outcome}${detail === "" ? "" : `: ${cleanLine(detail, 300)}`}`;
      return [
        `  ${mark} ${child} ${task}${why} ${colors.dim(`${durationMs === "unavailable" ? "" : `${duration(durationMs)}, `}${sums}`)}`,
      ];
    }
    case "child-event":
      return [];
  }
}
