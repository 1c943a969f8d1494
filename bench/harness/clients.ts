// The clients that are measured, each as its makers say it is run by a program, against a server on this machine: its command, configuration
// and tools. Invariant: none finds a key, a home or a network but what it is given here.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { MAIN_MARK, type PeerTools } from "./script.ts";

export interface Client {
  readonly name: string;
  /** Package and version that it is installed from; null for what is here. */
  readonly install: string | null;
  /** What is started; null where it is not installed. */
  readonly program: readonly string[] | null;
  readonly tools: PeerTools;
  /** Why it has no children to be measured; null where it has. */
  readonly noChildren: string | null;
  prepare(place: Place): Started;
}

export interface Place {
  readonly home: string;
  readonly work: string;
  readonly url: string;
}

export interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const root = dirname(dirname(import.meta.dirname));
const prompt = `${MAIN_MARK} please do the task`;
export const installDirectory = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "skein-bench-clients");

export const CLIENTS: readonly Client[] = [skein(), bareLoop(), claude(), codex(), gemini(), opencode(), pi()];

/** Where a client lies that is installed with `--install`. */
export function folderOf(name: string, install: string): string {
  return join(installDirectory, `${name}-${install.slice(install.lastIndexOf("@") + 1)}`);
}

function installed(name: string, install: string, command: string): readonly string[] | null {
  const program = join(folderOf(name, install), "node_modules", ".bin", command);
  return existsSync(program) ? [program] : null;
}

function skein(): Client {
  return {
    name: "skein",
    install: null,
    program: [process.execPath, join(root, "dist", "skein.cjs")],
    noChildren: null,
    tools: {
      read: (path) => ({ name: "read_file", args: { path } }),
      edit: (path, from, to) => ({ name: "edit_file", args: { path, edits: [{ old_string: from, new_string: to }] } }),
      delegate: (task) => ({ name: "delegate_task", args: { task } }),
    },
    prepare: ({ url }) => ({
      args: ["run", prompt, "--model", "anthropic/bench", "--base-url", url],
      env: { ANTHROPIC_API_KEY: "bench-key" },
    }),
  };
}

function bareLoop(): Client {
  return {
    ...skein(),
    name: "bare loop",
    program: [process.execPath, join(import.meta.dirname, "bare-loop.mjs")],
    prepare: ({ url }) => ({ args: [url, prompt], env: {} }),
  };
}

function claude(): Client {
  const install = "@anthropic-ai/claude-code@2.1.332";
  return {
    name: "claude",
    install,
    program: installed("claude", install, "claude"),
    noChildren: null,
    tools: {
      read: (path) => ({ name: "Read", args: { file_path: path } }),
      edit: (path, from, to) => ({ name: "Edit", args: { file_path: path, old_string: from, new_string: to } }),
      delegate: (task) => ({
        name: "Agent",
        args: { description: "a part", prompt: task, subagent_type: "general-purpose", run_in_background: false },
      }),
    },
    prepare: ({ url }) => ({
      args: ["-p", prompt, "--permission-mode", "acceptEdits", "--allowedTools", "Read", "Edit", "Agent"],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "bench-key",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    }),
  };
}

function codex(): Client {
  const install = "@openai/codex@0.171.0";
  return {
    name: "codex",
    install,
    program: installed("codex", install, "codex"),
    noChildren: "starts six and refuses the others",
    tools: {
      read: (path) => ({ name: "exec_command", args: { cmd: `cat ${path}` } }),
      edit: (path, from, to) => ({
        name: "exec_command",
        args: {
          cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch\nEOF`,
        },
      }),
      delegate: null,
    },
    prepare: ({ home, url }) => {
      write(
        join(home, ".codex", "config.toml"),
        [
          'model = "gpt-5.5"',
          'model_provider = "bench"',
          "check_for_update_on_startup = false",
          "[features]",
          "plugins = false",
          "remote_plugin = false",
          "apps = false",
          "[analytics]",
          "enabled = false",
          "[model_providers.bench]",
          'name = "bench"',
          `base_url = "${url}/v1"`,
          'env_key = "BENCH_API_KEY"',
          'wire_api = "responses"',
          "supports_websockets = false",
        ].join("\n"),
      );
      const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt];
      return { args, env: { BENCH_API_KEY: "bench-key" } };
    },
  };
}

function gemini(): Client {
  const install = "@google/gemini-cli@0.61.0";
  return {
    name: "gemini",
    install,
    program: installed("gemini", install, "gemini"),
    noChildren: null,
    tools: {
      read: (path) => ({ name: "read_file", args: { file_path: path } }),
      edit: (path, from, to) => ({
        name: "replace",
        args: { file_path: path, old_string: from, new_string: to, instruction: "change it" },
      }),
      delegate: (task) => ({ name: "invoke_agent", args: { agent_name: "generalist", prompt: task } }),
      finish: (said) => ({ name: "complete_task", args: { result: { response: said } } }),
    },
    prepare: ({ home, url }) => {
      write(
        join(home, ".gemini", "settings.json"),
        JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        }),
      );
      const args = ["--approval-mode", "yolo", "-m", "gemini-2.5-pro", "-p", prompt];
      return { args, env: { GEMINI_API_KEY: "bench-key", GOOGLE_GEMINI_BASE_URL: url } };
    },
  };
}

function opencode(): Client {
  const install = "opencode-ai@1.18.33";
  return {
    name: "opencode",
    install,
    program: installed("opencode", install, "opencode"),
    noChildren: null,
    tools: {
      read: (path) => ({ name: "read", args: { filePath: path } }),
      edit: (path, from, to) => ({ name: "edit", args: { filePath: path, oldString: from, newString: to } }),
      delegate: (task) => ({ name: "task", args: { description: "a part", prompt: task, subagent_type: "general" } }),
    },
    prepare: ({ home, url }) => {
      const model = { name: "Bench", tool_call: true, limit: { context: 100_000, output: 8_000 } };
      const options = { baseURL: `${url}/v1`, apiKey: "bench-key" };
      const provider = {
        bench: { npm: "@ai-sdk/openai-compatible", name: "Bench", options, models: { bench: model } },
      };
      const permission = { edit: "allow", bash: "allow", webfetch: "deny" };
      const settings = { autoupdate: false, share: "disabled", model: "bench/bench", small_model: "bench/bench" };
      write(join(home, ".config", "opencode", "opencode.json"), JSON.stringify({ ...settings, provider, permission }));
      write(join(home, ".npmrc"), "fetch-retries=0\n");
      const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"];
      const env = Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, "1"]));
      return { args: ["run", prompt], env };
    },
  };
}

function pi(): Client {
  const install = "@earendil-works/pi-coding-agent@1.6.0";
  return {
    name: "pi",
    install,
    program: installed("pi", install, "pi"),
    noChildren: "has none of its own",
    tools: {
      read: (path) => ({ name: "read", args: { path } }),
      edit: (path, from, to) => ({ name: "edit", args: { path, edits: [{ oldText: from, newText: to }] } }),
      delegate: null,
    },
    prepare: ({ home, url }) => {
      const model = { id: "bench", name: "Bench", input: ["text"], contextWindow: 100_000, maxTokens: 8_000 };
      const provider = { baseUrl: url, api: "anthropic-messages", apiKey: "bench-key", models: [model] };
      write(join(home, ".pi", "agent", "models.json"), JSON.stringify({ providers: { bench: provider } }));
      const settings = {
        defaultProvider: "bench",
        defaultModel: "bench",
        quietStartup: true,
        enableInstallTelemetry: false,
      };
      write(join(home, ".pi", "agent", "settings.json"), JSON.stringify(settings));
      return { args: ["-p", prompt], env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" } };
    },
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
