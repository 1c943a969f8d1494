// The environment git runs in. Invariant: nothing that a repository configured is executed, nothing is fetched, and the
// caller's own environment and settings have no say. Every entry closes one way by which git 2.39 could start a program.

import { delimiter, isAbsolute } from "node:path";

export type ConfigPair = readonly [key: string, value: string];

export interface GitEnvironmentOptions {
  /** The caller's PATH; relative parts are dropped, since they would find a `git` inside the repository. */
  readonly path: string;
  /** Further settings for one command; they win over the repository's. */
  readonly config?: readonly ConfigPair[];
  /** Where the user's own settings are: only for the one question that is about them. */
  readonly user?: UserHome;
}

export interface UserHome {
  readonly home: string;
  /** XDG_CONFIG_HOME, where set. */
  readonly xdgConfigHome?: string;
}

/** The whole environment of one git command. */
export function gitEnvironment(options: GitEnvironmentOptions): Readonly<Record<string, string>> {
  return {
    PATH: options.path
      .split(delimiter)
      .filter((part) => isAbsolute(part))
      .join(delimiter),
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    ...userEnvironment(options.user),
    GIT_TERMINAL_PROMPT: "0",
    // A list of nobody: unlike `protocol.allow`, a repository's `protocol.<name>.allow` cannot widen it. It stops the fetch
    // that git before 2.44 starts for a missing object of a partial clone, and with it core.sshCommand and remote.*.uploadpack.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    // An object is what its id says, and a commit has the parents it names.
    GIT_NO_REPLACE_OBJECTS: "1",
    // No file can have this name; git gives five lines of advice about any file that it can open.
    GIT_GRAFT_FILE: "/dev/null/none",
    // glibc's allocator: fast-import takes and gives back the top of its heap for each object, which costs more than its work.
    MALLOC_TRIM_THRESHOLD_: String(heapKeptBytes),
    MALLOC_TOP_PAD_: String(heapStepBytes),
    // Who a reflog line or a throw-away commit is by, so that no host or user name is looked up.
    GIT_AUTHOR_NAME: "skein",
    GIT_AUTHOR_EMAIL: "skein@localhost",
    GIT_COMMITTER_NAME: "skein",
    GIT_COMMITTER_EMAIL: "skein@localhost",
    ...configEnvironment([...closedSettings, ...(options.config ?? [])]),
  };
}

const heapKeptBytes = 64 * 1024 * 1024;
const heapStepBytes = 1024 * 1024;

/** Settings that win over those of every repository. */
const closedSettings: readonly ConfigPair[] = [
  // Hooks: reference-transaction and post-index-change run for the commands used here.
  ["core.hooksPath", "/dev/null"],
  // A program that status asks what changed.
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", ""],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["credential.helper", ""],
  ["protocol.allow", "never"],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["commit.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
  ["diff.external", ""],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  // A derived file that could disagree with the commits.
  ["core.commitGraph", "false"],
  // Git refuses a repository that another user owns because its settings could run programs. Those ways are closed here, and a
  // repository mounted into a container has another owner as a rule.
  ["safe.directory", "*"],
];

function userEnvironment(user: UserHome | undefined): Record<string, string> {
  if (user === undefined) return { GIT_CONFIG_GLOBAL: "/dev/null" };
  return { HOME: user.home, ...(user.xdgConfigHome === undefined ? {} : { XDG_CONFIG_HOME: user.xdgConfigHome }) };
}

/** As variables and not as `-c` arguments: a key with `=` in it (`filter.a=b.clean`) has no `-c` form. */
function configEnvironment(pairs: readonly ConfigPair[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
  pairs.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}
