// A real client on a terminal of its own: one tmux server for a scenario, keys typed as a person types them.

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../support/skein.ts";
import type { Place } from "./place.ts";

export interface Pane extends Disposable {
  /** Types the text and then Enter. */
  say(text: string): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  /** Resolves once the screen shows it. */
  shows(pattern: RegExp): Promise<void>;
  readonly pid: number;
}

const [columns, rows] = ["110", "40"];
const keyMs = 300;
const dialogMs = 2_000;

export function openPane(place: Place, program: readonly string[]): Pane {
  const env = { ...place.env, ANTHROPIC_API_KEY: apiKey, TERM: "xterm-256color" };
  const socket = join(place.home, "tmux");
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      env,
      cwd: place.repository,
      encoding: "utf8",
    });
  tmux("new-session", "-d", "-x", columns, "-y", rows, ...program);
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      tmux("send-keys", key);
      await delay(keyMs);
    }
  };
  return {
    press,
    say: async (text) => {
      tmux("send-keys", "-l", text);
      await delay(keyMs);
      await press("Enter");
    },
    shows: async (pattern) => {
      await eventually(`the screen shows ${pattern}`, () => (pattern.test(tmux("capture-pane", "-p")) ? true : null));
      // A dialog takes no answer in its first moment, lest it was meant for something else.
      await delay(dialogMs);
    },
    pid: Number(tmux("display-message", "-p", "#{pane_pid}")),
    [Symbol.dispose]: () => void spawnSync("tmux", ["-S", socket, "kill-server"], { env, stdio: "ignore" }),
  };
}

const apiKey = "fake-key-for-tests-000000000000000000000";

/** What a person has answered once: that the key is meant, that the folder is trusted. */
export function answerFirstQuestions({ home, repository }: Place): void {
  const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] };
  const claude = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: { [repository]: project },
  };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(claude));
  const codex = `\n[projects.${JSON.stringify(repository)}]\ntrust_level = "trusted"\n[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n`;
  appendFileSync(join(home, ".codex", "config.toml"), codex);
}
