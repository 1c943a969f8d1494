// The command that stands in clients' settings. It never changes: Codex asks the person again when it does. It is one of the few forms that
// sh, bash, zsh and fish read alike, and it does nothing where the launcher is missing.

export const HOOKED_CLIENTS = [
  "claude-code",
  "codex",
  "gemini",
  "qwen",
  "copilot",
  "opencode",
  "pi",
  "cursor",
] as const;
export type HookedClient = (typeof HOOKED_CLIENTS)[number];

/** The launcher's place below the data directory (`~/.local/share`). */
export const LAUNCHER_PATH = "skein/skein-hook";

/** For one person's own settings: their launcher by its absolute path. */
export function userCommand(launcher: string, client: HookedClient): string {
  return commandOf(launcher, client);
}

function commandOf(launcher: string, argument: string): string {
  const word = `'${launcher.replaceAll("'", "'\\''")}'`;
  return `[ ! -x ${word} ] || ${word} ${argument}`;
}

/** The launcher's second word where a call is of a shell command alone: then it starts git beside the hook. */
export const SHELL_WORD = "shell";

/** The same command, for the entries of shell commands. */
export function forShell(command: string): string {
  return command.replace(/('?)$/, ` ${SHELL_WORD}$1`);
}

/** For settings that come with a repository: whoever has Skein is seen, for all others it does nothing. */
export function projectCommand(client: HookedClient): string {
  return `sh -c 'h="\${XDG_DATA_HOME:-$HOME/.local/share}/${LAUNCHER_PATH}"; [ ! -x "$h" ] || exec "$h" ${client}'`;
}

/** For a person's own status line. */
export function statusCommand(launcher: string): string {
  return commandOf(launcher, STATUS);
}

export function isOurStatusCommand(command: string): boolean {
  return argumentOf(command) === STATUS;
}

/** What the launcher is called with for a status line, in the place of a client. */
export const STATUS = "statusline";

/** Of any version of ours, in any place: exactly a form that was written, so that nobody's own command that names ours is taken for one. */
export function isOurCommand(command: string): boolean {
  const client = argumentOf(command);
  return HOOKED_CLIENTS.some(
    (one) =>
      [one, `${one} ${SHELL_WORD}`].some((argument) => argument === client) ||
      [projectCommand(one), forShell(projectCommand(one))].includes(command),
  );
}

/** What the launcher is called with by `skein doctor`, in the place of a client: it says on what it runs, and records nothing. */
export const CHECK = "--check";

/** An installed command of ours as it would be run, but for a check; null for what is none of ours. */
export function checkCommand(command: string): string | null {
  if (!isOurCommand(command)) return null;
  const argument = new RegExp(` [a-z-]+(?: ${SHELL_WORD})?('?)$`);
  return command.replace(argument, ` ${CHECK}$1`);
}

/** The launcher that an installed command calls; null where it finds that out itself when it is run. */
export function launcherIn(command: string): string | null {
  const { called } = OURS.exec(command)?.groups ?? {};
  return called === undefined ? null : called.slice(1, -1).replaceAll("'\\''", "'");
}

/** The launcher as a quoted word, alone or after the question whether it is there. */
const OURS =
  /^(?:\[ ! -x (?<asked>'(?:[^']|'\\'')*') \] \|\| )?(?<called>'(?:[^']|'\\'')*\/skein\/skein-hook') (?<argument>[a-z-]+(?: [a-z]+)?)$/;

function argumentOf(command: string): string | null {
  const { asked, called, argument } = OURS.exec(command)?.groups ?? {};
  return argument === undefined || (asked !== undefined && asked !== called) ? null : argument;
}

/** What the launcher is called with for the MCP server. */
const MCP = "mcp";

/** The server's name in clients' settings: tools are called by it. */
export const SERVER_NAME = "skein";

/** Among a client's permissions: the tools of our server run without a question. As Claude Code writes a server's tools. */
export const ALLOW_RULE = `mcp__${SERVER_NAME}__*`;

/** The same as opencode writes them. */
export const OPENCODE_ALLOW_RULE = `${SERVER_NAME}_*`;

/** How a client starts the server. */
export interface McpCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export function userServer(launcher: string): McpCommand {
  return { command: launcher, args: [MCP] };
}

/** For settings that come with a repository. */
export function projectServer(): McpCommand {
  const script = `h="\${XDG_DATA_HOME:-$HOME/.local/share}/${LAUNCHER_PATH}"; [ ! -x "$h" ] || exec "$h" ${MCP}`;
  return { command: "sh", args: ["-c", script] };
}

/** Exactly a form that was written, wherever the launcher lies; a client may have put more into the entry. Some have command and arguments in one list. */
export function isOurServer(value: object): boolean {
  const given: unknown = Reflect.get(value, "command");
  const [command, args]: readonly unknown[] = Array.isArray(given)
    ? [given[0], given.slice(1)]
    : [given, Reflect.get(value, "args")];
  if (typeof command !== "string") return false;
  const user = command.endsWith(`/${LAUNCHER_PATH}`) && JSON.stringify(args) === JSON.stringify([MCP]);
  return user || JSON.stringify({ command, args }) === JSON.stringify(projectServer());
}
