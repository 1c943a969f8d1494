// opencode's settings: a plugin of ours in its folder of plugins, and our MCP server in its own file.

import { join } from "node:path";
import { programForm } from "../program-file/program-form.ts";
import type { ClientSettings, SettingsFile } from "../settings.ts";
import { pluginText } from "./plugin-text.ts";
import { opencodeServerForm } from "./server.ts";
import { OPENCODE_TIMEOUT_S as timeoutS } from "./timeout.ts";

const pluginFile: SettingsFile = {
  name: "plugin/skein.js",
  form: programForm({ event: "plugin", timeoutS, text: pluginText }),
};

export const opencodeSettings: ClientSettings = {
  client: "opencode",
  title: "opencode",
  program: "opencode",
  directory: { variable: "XDG_CONFIG_HOME", below: "opencode", name: ".config/opencode", projectName: ".opencode" },
  files: [pluginFile],
  choose: () => pluginFile,
  // Tried is 1.18.33; that older ones of this number do the same is what their documents say.
  versionMin: [1, 0, 0],
  plan: (_version, command) => ({ entries: [{ event: "plugin", matcher: null, command, timeoutS }], leftOut: [] }),
  needsApproval: false,
  setStatusLine: null,
  mcp: {
    // What the first says comes after the second's, and among permissions the last rule decides.
    files: ({ directory }) => [join(directory, "opencode.jsonc"), join(directory, "opencode.json")],
    form: opencodeServerForm,
    setAllowRule: null,
  },
  switchedOff: () => null,
  remarks: [
    "with a plugin opencode asks the npm registry at each start; without a network put fetch-retries=0 into ~/.npmrc, or it takes a minute",
  ],
};
