// The launcher that clients' hooks call: a shell script at a constant place. Invariant: it ends with 0 and prints what the hook prints and
// nothing else; a Node or a Skein that was moved or removed since costs the hook, never the agent.

import { GIT_ENVIRONMENT, STATUS_COMMAND } from "../sessions/presence/worktree-look.ts";
import { SHELL_WORD } from "./launcher-command.ts";
import { MARKS } from "./launcher-mark.ts";

export interface LauncherParts {
  /** `dist/hook.cjs` of the installed package, replaced in its place by an upgrade. */
  readonly hook: string;
  /** The Node that ran the installation: asked first. */
  readonly node: string;
}

/** Beside the launcher: the hook's copy for when the package is gone, the Node that was found, and what went wrong last. */
export const LAUNCHER_NAMES = { copy: "hook.cjs", node: "node", fault: "fault" } as const;

/**
 * One thread beside the main one, no compiler that optimizes, and memory enough that nothing has to be tidied up: a hook is over before any of
 * these would have anything to do, and what they do costs a start among many sessions a third. A Node that has one of these no more ends with 9 before it has read anything.
 */
export const HOOK_NODE_FLAGS = "--v8-pool-size=1 --no-opt --no-maglev --min-semi-space-size=2";

/** A POSIX shell script. It is started a few times a minute: the usual way through it starts nothing but the hook. */
export function launcherText({ hook, node }: LauncherParts): string {
  return `#!/bin/sh
# Written by \`skein install\`: runs Skein's hook on a Node that fits, and does nothing where there is none.
set +u
[ "$SKEIN_HOOKS_OFF" != 1 ] || exit 0
here=\${0%/*}
hook=${quoted(hook)}
[ -f "$hook" ] || hook=$here/${LAUNCHER_NAMES.copy}
[ -f "$hook" ] || exit 0
# What a person debugs with is not for the hook.
unset NODE_OPTIONS SKEIN_LOOK
# For the few tools below, where a client was started with an odd PATH.
PATH=\${PATH:-}:/usr/bin:/bin
export PATH

fits() {
  [ -f "$1" ] && [ -x "$1" ] && "$1" -e 'process.exit(process.versions.node.split(".")[0] >= 24 ? 0 : 1)' </dev/null >/dev/null 2>&1
}

search() {
  one=${quoted(node)}
  fits "$one" && return 0
  rest=$PATH:
  while [ -n "$rest" ]; do
    one=\${rest%%:*}/node
    rest=\${rest#*:}
    fits "$one" && return 0
  done
  for one in /usr/local/bin/node /opt/homebrew/bin/node /usr/bin/node "$HOME/.local/bin/node" "$HOME/.volta/bin/node" \\
    "\${NVM_DIR:-$HOME/.nvm}"/versions/node/v2[4-9].*/bin/node "\${NVM_DIR:-$HOME/.nvm}"/versions/node/v[3-9][0-9].*/bin/node \\
    "\${FNM_DIR:-$HOME/.local/share/fnm}"/node-versions/v2[4-9].*/installation/bin/node \\
    "\${FNM_DIR:-$HOME/.local/share/fnm}"/node-versions/v[3-9][0-9].*/installation/bin/node \\
    "$HOME"/.local/share/mise/installs/node/2[4-9].*/bin/node "$HOME"/.local/share/mise/installs/node/[3-9][0-9].*/bin/node \\
    "$HOME"/.asdf/installs/nodejs/2[4-9].*/bin/node "$HOME"/.asdf/installs/nodejs/[3-9][0-9].*/bin/node; do
    fits "$one" && return 0
  done
  return 1
}

# The one that was found last time; only a new one is asked for its version.
node=
[ ! -f "$here/${LAUNCHER_NAMES.node}" ] || read -r node <"$here/${LAUNCHER_NAMES.node}"
note() {
  { printf '%s: %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >"$here/${LAUNCHER_NAMES.fault}"; } 2>/dev/null
}

choose() {
  if ! search; then
    note "no Node from 24 on was found"
    exit 0
  fi
  node=$one
  { printf '%s\\n' "$node" >"$here/${LAUNCHER_NAMES.node}.$$" && mv -f "$here/${LAUNCHER_NAMES.node}.$$" "$here/${LAUNCHER_NAMES.node}"; } 2>/dev/null
}

[ -x "$node" ] || choose
# The MCP server lives as long as its client, which ends it by this process's number.
if [ "$1" = mcp ]; then
  fits "$node" || choose
  exec "$node" "$hook" "$@"
fi
# Whether the hook knows the worktree well enough to need no git (a mark, no older than the index).
known() {
  IFS=/
  set -f
  set -- $PWD
  IFS=%
  mark="\${XDG_CACHE_HOME:-$HOME/.cache}/skein/${MARKS}/$*"
  unset IFS
  set +f
  [ -f "$mark" ] && { IFS= read -r place && IFS= read -r index; } 2>/dev/null <"$mark" && [ "$place" = "$PWD" ] && [ ! "$index" -nt "$mark" ]
}
# Git looks at the worktree while Node starts. From the last word the hook knows that git ended well; what it does not want, it ends.
look() {
  env -i PATH="$PATH" HOME="\${HOME:-/}" ${lookText()} </dev/null && printf whole
}
run() {
  # Where a pipe can be opened again, as the hook does, and where there is an input.
  if [ "$2" = ${SHELL_WORD} ] && [ -e /proc/self/fd/0 ] && ! known; then
    exec 3<&0
    look 3<&- 2>/dev/null | SKEIN_LOOK=4:$$ "$node" $flags "$hook" "$@" 4<&0 <&3 3<&- 2>/dev/null
  else
    "$node" $flags "$hook" "$@" 2>/dev/null
  fi
}
flags='${HOOK_NODE_FLAGS}'
run "$@"
status=$?
if [ "$status" = 9 ]; then
  flags=
  run "$@"
  status=$?
fi
# An older one stands where it was, one that lacks its libraries, or what is no program: it has not read the input.
case $status in
99 | 126 | 127)
  choose
  run "$@"
  status=$?
  ;;
esac
if [ "$status" = 0 ]; then
  [ ! -f "$here/${LAUNCHER_NAMES.fault}" ] || rm -f "$here/${LAUNCHER_NAMES.fault}" 2>/dev/null
else
  # It has crashed: on its compiled form, if that was damaged.
  [ "$status" -lt 128 ] || rm -f "\${XDG_CACHE_HOME:-$HOME/.cache}"/skein/compiled/hook-* 2>/dev/null
  # The hook itself never fails: this Node cannot run it, so the next call looks for another.
  rm -f "$here/${LAUNCHER_NAMES.node}" 2>/dev/null
  note "$node ended with $status"
fi
exit 0
`;
}

/** Whether a launcher was written by this build, for whatever package and Node. */
export function isPresentLauncher(text: string): boolean {
  const [, hook = "", node = ""] = /^hook=('.*?')\n.*?^ {2}one=('.*?')\n/ms.exec(text) ?? [];
  return text === launcherText({ hook: unquoted(hook), node: unquoted(node) });
}

/** Its output goes through the pipe as src/adapters/node/started-look.ts reads it. */
function lookText(): string {
  const variables = Object.entries(GIT_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...STATUS_COMMAND].join(" ");
}

function unquoted(word: string): string {
  return word.slice(1, -1).replaceAll("'\\''", "'");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
