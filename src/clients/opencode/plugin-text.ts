// The plugin that `skein install opencode` writes: what opencode tells its plugins goes to our hook as it comes, and what the hook says goes into
// the system prompt of that session's requests. Its state is only what opencode does not say again: who is whose child, and what was said.

import { SERVER_NAME } from "../launcher-command.ts";
import { hookCallText } from "../program-file/hook-call.ts";
import { SESSION_VARIABLE } from "../session-variable.ts";
import { OPENCODE_TIMEOUT_S } from "./timeout.ts";

/** Events as in @opencode-ai/plugin and @opencode-ai/sdk 1.18.33. */
export function pluginText(command: string): string {
  return `${hookCallText({ command, timeoutS: OPENCODE_TIMEOUT_S })}
const sessionsMax = 500;
const noticesMax = 20;
const promptCharsMax = 4000;
const patchLinesMax = 200;
const editing = ["edit", "write", "multiedit", "patch", "apply_patch"];

export const SkeinPresence = async ({ directory }) => {
  const sessions = new Map();

  const sessionOf = (id) => {
    let session = sessions.get(id);
    if (session === undefined) {
      session = {
        parent: null,
        begun: false,
        working: false,
        aborted: false,
        open: new Set(),
        block: null,
        notices: [],
        line: Promise.resolve(),
      };
      sessions.set(id, session);
      if (sessions.size > sessionsMax) sessions.delete(sessions.keys().next().value);
    }
    return session;
  };
  const rootOf = (id) => {
    let root = id;
    for (let depth = 0; depth < 20; depth++) {
      const parent = sessions.get(root)?.parent;
      if (parent === undefined || parent === null) break;
      root = parent;
    }
    return root;
  };
  // One after the other in each session, so that none overtakes another.
  const send = (id, event, more) => {
    const session = sessionOf(id);
    const root = rootOf(id);
    const agent = root === id ? {} : { agent: id };
    session.line = session.line.then(() => ask({ event, session: root, ...agent, directory, pid: process.pid, ...more }, directory)).then((words) => {
      if (words === null) return;
      if (event === "session.start") session.block = words;
      else session.notices = [...session.notices, words].slice(-noticesMax);
    });
    return within(session.line);
  };
  const begin = (id, source, more) => {
    const session = sessionOf(id);
    if (session.begun) return;
    session.begun = true;
    send(id, "session.start", { source, ...more });
  };
  // A session that goes on in a new process is not created again.
  const tell = (id, event, more) => {
    begin(id, "resume");
    return send(id, event, more);
  };

  const onEvent = ({ type, properties = {} }) => {
    const id = properties.sessionID ?? properties.info?.id ?? properties.part?.sessionID;
    if (typeof id !== "string") return;
    switch (type) {
      case "session.created":
      case "session.updated":
        if (typeof properties.info?.parentID === "string") sessionOf(id).parent = properties.info.parentID;
        if (type === "session.created") begin(id, "startup", { agentType: properties.info?.agent });
        return;
      case "session.status": {
        const session = sessionOf(id);
        const busy = properties.status?.type !== "idle";
        if (busy === session.working) return;
        session.working = busy;
        if (busy) return tell(id, "session.status", { status: properties.status?.type });
        const { aborted } = session;
        session.aborted = false;
        return tell(id, "session.idle", { aborted });
      }
      case "session.error":
        if (properties.error?.name === "MessageAbortedError") sessionOf(id).aborted = true;
        return;
      case "permission.asked":
        return tell(id, type, { permission: properties.permission });
      case "permission.replied":
      case "question.asked":
      case "question.replied":
      case "question.rejected":
        return tell(id, type);
      case "session.compacted":
        begin(id, "resume");
        return send(id, "session.start", { source: "compact" });
      case "session.deleted":
        if (sessions.get(id)?.begun) send(id, type);
        return;
      case "message.part.updated": {
        // A call that was refused or stopped has no other end; this comes often, and more than once.
        const { tool, state, callID } = properties.part ?? {};
        if (tool !== "bash" || state?.status !== "error" || !sessions.get(id)?.open.delete(callID)) return;
        return tell(id, "tool.error", { tool, call: callID });
      }
    }
  };
  const safely = (work) => async (input, output) => {
    try {
      await work(input ?? {}, output ?? {});
    } catch {
      // Presence is lost, and the session goes on.
    }
  };

  return {
    event: safely(({ event }) => void onEvent(event ?? {})),
    "chat.message": safely(({ sessionID }, { parts = [] }) => {
      const texts = parts.flatMap((part) => (part.type === "text" && part.synthetic !== true ? [String(part.text)] : []));
      sessionOf(sessionID).working = true;
      tell(sessionID, "chat.message", { prompt: texts.join("\\n").slice(0, promptCharsMax) });
    }),
    "tool.execute.before": safely(async ({ tool, sessionID, callID }, { args }) => {
      // One server serves all sessions of this process, and cannot tell which one calls.
      if (tool.startsWith("${SERVER_NAME}_") && typeof args === "object" && args !== null) {
        args.session = rootOf(sessionID);
        if (args.session !== sessionID) args.subagent ??= sessionID;
      }
      if (tool !== "bash") return;
      sessionOf(sessionID).open.add(callID);
      await tell(sessionID, "tool.execute.before", { tool, call: callID });
    }),
    "tool.execute.after": safely(async ({ tool, sessionID, callID, args = {} }) => {
      sessionOf(sessionID).open.delete(callID);
      if (tool === "bash") await tell(sessionID, "tool.execute.after", { tool, call: callID });
      if (!editing.includes(tool)) return;
      const patch = String(args.patchText ?? "").split("\\n").filter((line) => line.startsWith("*** ")).slice(0, patchLinesMax);
      await tell(sessionID, "tool.execute.after", { tool, call: callID, filePath: args.filePath, patch: patch.join("\\n") });
    }),
    "shell.env": safely(({ sessionID }, { env }) => {
      if (typeof sessionID === "string") env.${SESSION_VARIABLE} = rootOf(sessionID);
    }),
    "experimental.session.compacting": safely(({ sessionID }) => void tell(sessionID, "experimental.session.compacting")),
    "experimental.chat.system.transform": safely(async ({ sessionID }, { system }) => {
      if (sessionID === undefined || system.some((text) => text.startsWith("You are a title generator"))) return;
      const session = sessionOf(sessionID);
      await within(session.line);
      const words = [session.block, ...session.notices].filter((text) => text !== null);
      if (words.length > 0) system.push(words.join("\\n"));
    }),
  };
};
`;
}
