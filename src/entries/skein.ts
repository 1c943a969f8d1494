// The `skein` command. It is read by whatever Node there is: a look at the version first, then the program, which needs a newer one.
// A hook goes its own way, without loading the command, and says nothing even where it cannot run.

const majorMin = 24;

const isNew = Number(process.versions.node.split(".")[0]) >= majorMin;
const [, , command, client] = process.argv;
if (command === "hook" && client !== undefined && !client.startsWith("-")) {
  if (isNew) await import("./hook.ts");
} else if (isNew) {
  await keepCompiled();
  await import("./main.ts");
} else {
  process.stderr.write(
    `skein needs Node ${majorMin} or newer, this is ${process.version}\n  put a newer node first on the PATH\n`,
  );
  process.exitCode = 2;
}

/** The program's compiled form is kept between starts, which halves them. In the same place as a hook's. */
async function keepCompiled(): Promise<void> {
  const [{ enableCompileCache }, { join }] = [await import("node:module"), await import("node:path")];
  const { SKEIN_STATE_DIR: state, XDG_CACHE_HOME: caches, HOME: home } = process.env;
  const base = state || (caches ? join(caches, "skein") : home ? join(home, ".cache", "skein") : "");
  if (base.startsWith("/")) enableCompileCache(join(base, "compiled"));
}
