// pi's settings: an extension of ours in its folder of extensions, the same for both of its npm packages.

import { programForm } from "../program-file/program-form.ts";
import type { ClientSettings, SettingsFile } from "../settings.ts";
import { extensionText } from "./extension-text.ts";
import { PI_TIMEOUT_S as timeoutS } from "./timeout.ts";

const extensionFile: SettingsFile = {
  name: "extensions/skein.ts",
  form: programForm({ event: "extension", timeoutS, text: extensionText }),
};

export const piSettings: ClientSettings = {
  client: "pi",
  title: "pi",
  program: "pi",
  directory: { variable: "PI_CODING_AGENT_DIR", name: ".pi/agent", projectName: ".pi" },
  files: [extensionFile],
  choose: () => extensionFile,
  // The oldest that was tried.
  versionMin: [0, 73, 1],
  plan: (_version, command) => ({ entries: [{ event: "extension", matcher: null, command, timeoutS }], leftOut: [] }),
  needsApproval: false,
  setStatusLine: null,
  mcp: null,
  switchedOff: () => null,
};
