// The extension that `skein install pi` writes: what pi tells its extensions goes to our hook, and what the hook says goes before the next
// turn, or to the result of the tool that it is about. Plain JavaScript that is TypeScript, too: pi loads either.

import { hookCallText } from "../program-file/hook-call.ts";
import { PI_TIMEOUT_S } from "./timeout.ts";

/** Events as in docs/extensions.md of @mariozechner/pi-coding-agent 0.73.1 and @earendil-works/pi-coding-agent 1.6.0. */
export function extensionText(command: string): string {
  return `${hookCallText({ command, timeoutS: PI_TIMEOUT_S })}
const promptCharsMax = 4000;
const editing = ["edit", "write"];

export default function (pi) {
  // One instance for each session: pi loads its extensions again where the session changes.
  let line = Promise.resolve();
  let words = [];
  let working = false;
  let settles = false;
  const open = new Set();

  // One after the other, so that none overtakes another.
  const tell = (ctx, event, more) => {
    const { cwd: directory, sessionManager } = ctx;
    const told = { event, session: sessionManager.getSessionId(), file: sessionManager.getSessionFile(), directory, pid: process.pid, ...more };
    line = line.then(() => ask(told, directory)).then((said) => {
      if (said !== null) words.push(said);
    });
    return within(line);
  };
  const takeWords = () => {
    const taken = words;
    words = [];
    return taken.length === 0 ? null : taken.join("\\n");
  };
  const on = (event, work) =>
    pi.on(event, async (given, ctx) => {
      try {
        return await work(given, ctx);
      } catch {
        // Presence is lost, and the session goes on.
      }
    });
  const ended = (ctx, aborted) => {
    working = false;
    tell(ctx, "agent_end", { aborted });
  };

  on("session_start", ({ reason }, ctx) => {
    const { sessionManager } = ctx;
    const resumed = sessionManager.getEntries().some(({ type }) => type === "message");
    tell(ctx, "session_start", { reason, resumed });
  });
  on("before_agent_start", async ({ prompt = "", messageType }, ctx) => {
    working = true;
    settles = messageType !== undefined;
    await tell(ctx, "before_agent_start", { prompt: String(prompt).slice(0, promptCharsMax) });
    const content = takeWords();
    if (content !== null) return { message: { customType: "skein-presence", content, display: false } };
  });
  on("agent_start", (_event, ctx) => {
    if (!working) tell(ctx, "agent_start");
    working = true;
  });
  on("agent_end", ({ messages = [] }, ctx) => {
    // A newer pi may go on after it, and says so when it does not.
    if (!settles) ended(ctx, messages.at(-1)?.stopReason === "aborted");
  });
  on("agent_settled", ({ aborted }, ctx) => ended(ctx, aborted === true));
  on("tool_call", async ({ toolName, toolCallId }, ctx) => {
    if (toolName !== "bash") return;
    open.add(toolCallId);
    await tell(ctx, "tool_call", { tool: toolName, call: toolCallId });
  });
  on("tool_result", async ({ toolName, toolCallId, input = {}, isError, content }, ctx) => {
    open.delete(toolCallId);
    if (toolName !== "bash" && !editing.includes(toolName)) return;
    await tell(ctx, "tool_result", { tool: toolName, call: toolCallId, path: input.path, failed: isError === true });
    const text = takeWords();
    if (text !== null) return { content: [...content, { type: "text", text }] };
  });
  on("tool_execution_end", ({ toolName, toolCallId }, ctx) => {
    // A call that was stopped has no result.
    if (open.delete(toolCallId)) tell(ctx, "tool_result", { tool: toolName, call: toolCallId, failed: true });
  });
  on("ui_prompt_start", (_event, ctx) => {
    if (working) tell(ctx, "ui_prompt_start");
  });
  on("ui_prompt_end", (_event, ctx) => {
    if (working) tell(ctx, "ui_prompt_end");
  });
  on("session_before_compact", (_event, ctx) => void tell(ctx, "session_before_compact"));
  on("session_compact", (_event, ctx) => void tell(ctx, "session_compact"));
  on("session_shutdown", async ({ reason = "quit" }, ctx) => {
    await tell(ctx, "session_shutdown", { reason });
  });
}
`;
}
