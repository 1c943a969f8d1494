// What of this machine commands in a sandbox are not shown: the person's home but for tools and plain files, sockets of services, and
// whatever the caller names. Looked at once a run. Invariant: in a home, a name with a dot is hidden unless it is known to hold no secret.

import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import type { Files } from "../../host/files.ts";

export interface Survey {
  /** Directories that appear empty, without symlinks. */
  readonly hidden: readonly string[];
  /** Files and directories below hidden ones that are shown to be read. */
  readonly shown: readonly string[];
  /** Files and directories below shown ones that are not. */
  readonly masked: readonly Masked[];
  /** The same for a home that an agent works in: what is hidden in it, name by name. */
  readonly homeSecrets: readonly Masked[];
  readonly home: string | null;
}

export interface Masked {
  readonly path: string;
  readonly kind: "file" | "directory";
}

export interface SurveyOptions {
  readonly files: Files;
  /** The commands' own. */
  readonly env: Readonly<Record<string, string>>;
  /** Directories that appear empty besides. */
  readonly hidden: readonly string[];
}

const entriesMax = 2_000;
const homesMax = 50;

/** Toolchains, and settings without which they do not work. */
const HARMLESS: readonly string[] = [
  ".asdf",
  ".bun",
  ".cargo",
  ".deno",
  ".fnm",
  ".gitconfig",
  ".gitignore",
  ".jenv",
  ".juliaup",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pipx",
  ".local/share/pnpm",
  ".local/share/uv",
  ".config/git",
  ".nodenv",
  ".nvm",
  ".phpenv",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".sdkman",
  ".volta",
];
/** What some of them keep there that is nobody's business. */
const SECRETS: readonly string[] = [".cargo/credentials", ".cargo/credentials.toml", ".config/git/credentials"];
/** Readable by root, also without its rights. */
const SYSTEM_SECRETS: readonly string[] = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/krb5.keytab",
  "/etc/kubernetes",
  "/etc/letsencrypt",
  "/etc/NetworkManager/system-connections",
  "/etc/ssl/private",
  "/etc/wireguard",
];
const hostKeys = { directory: "/etc/ssh", name: /^ssh_host_.*_key$/ };
/** In homes of other people, which root may read. */
const homes = "/home";
const OTHERS_SECRETS: readonly string[] = [
  ...[".aws", ".azure", ".claude", ".codex", ".config", ".docker", ".git-credentials", ".gnupg", ".kube", ".netrc"],
  ...[".npmrc", ".password-store", ".pgpass", ".pypirc", ".ssh"],
];
/** Sockets of services (a container engine's makes anybody root), and homes that are nobody's but the system's. */
const SYSTEM_HIDDEN: readonly string[] = ["/run", "/root"];
/** Of a system that keeps its programs or its name servers there. */
const SYSTEM_SHOWN: readonly string[] = [
  "/run/current-system",
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/resolvconf",
];

export async function survey({ files, env, hidden: given }: SurveyOptions): Promise<Survey> {
  const home = await realDirectory(files, env.HOME ?? "");
  const entries = home === null ? [] : await entriesOf(files, home);
  const hidden = [home, ...(await all(files, [...SYSTEM_HIDDEN, ...given], realDirectory))].filter(
    (one) => one !== null,
  );
  const tools = home === null ? [] : HARMLESS.map((name) => join(home, name));
  const onPath = await toolDirectories(files, env.PATH ?? "", [...hidden, "/tmp"], home);
  const shown = [
    ...entries.filter(({ name }) => !name.startsWith(".")).map(({ path }) => path),
    ...(await present(files, [...tools, ...SYSTEM_SHOWN])).map(({ path }) => path),
    ...onPath,
  ];
  // A tool of the PATH may lie in another home than one's own.
  const bases = [...new Set([...(home === null ? [] : [home]), ...onPath.map((tool) => dirname(tool))])];
  const secrets = bases.flatMap((base) => SECRETS.map((name) => join(base, name)));
  const dotted = entries.filter(({ name }) => name.startsWith(".") && !HARMLESS.includes(name));
  return {
    home,
    hidden: [...new Set(hidden)],
    shown: [...new Set(shown)].slice(0, entriesMax),
    masked: await present(files, [
      ...secrets,
      ...SYSTEM_SECRETS,
      ...(await hostKeysIn(files)),
      ...(await others(files, home)),
    ]),
    homeSecrets: await present(
      files,
      dotted.map(({ path }) => path),
    ),
  };
}

async function hostKeysIn(files: Files): Promise<readonly string[]> {
  const entries = await entriesOf(files, hostKeys.directory);
  return entries.filter(({ name }) => hostKeys.name.test(name)).map(({ path }) => path);
}

async function others(files: Files, home: string | null): Promise<readonly string[]> {
  const found = (await entriesOf(files, homes)).filter(({ path }) => path !== home).slice(0, homesMax);
  return found.flatMap(({ path }) => OTHERS_SECRETS.map((name) => join(path, name)));
}

async function entriesOf(
  files: Files,
  home: string,
): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const listed = await files.list(home, entriesMax);
  return listed.ok ? listed.value.map(({ name }) => ({ name, path: join(home, name) })) : [];
}

/** Where the PATH leads into what is hidden; of `<tool>/bin` the whole tool. */
async function toolDirectories(
  files: Files,
  path: string,
  hidden: readonly string[],
  home: string | null,
): Promise<readonly string[]> {
  const parts = path.split(delimiter).filter((part) => isAbsolute(part));
  const real = await all(files, parts, realDirectory);
  const places = [...parts, ...real.filter((one) => one !== null)].filter((one) =>
    hidden.some((at) => isWithin(one, at)),
  );
  const tools = places.map((place) => {
    const above = dirname(place);
    const isShared = hidden.includes(above) || (home !== null && above === join(home, ".local"));
    return /^s?bin$/.test(basename(place)) && !isShared ? above : place;
  });
  return tools.filter((tool) => !hidden.includes(tool));
}

async function present(files: Files, paths: readonly string[]): Promise<readonly Masked[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly Masked[]> => {
      const real = await files.realPath(path);
      const stat = real.ok ? await files.stat(real.value) : real;
      return stat.ok ? [{ path, kind: stat.value.kind === "directory" ? "directory" : "file" }] : [];
    }),
  );
  return found.flat();
}

/** Null for what is no directory, and for the root of everything. */
async function realDirectory(files: Files, path: string): Promise<string | null> {
  if (!isAbsolute(path)) return null;
  const real = await files.realPath(path);
  const stat = real.ok ? await files.stat(real.value) : real;
  return real.ok && stat.ok && stat.value.kind === "directory" && real.value !== "/" ? real.value : null;
}

function all<T>(
  files: Files,
  paths: readonly string[],
  look: (files: Files, path: string) => Promise<T>,
): Promise<T[]> {
  return Promise.all(paths.map((path) => look(files, path)));
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}
