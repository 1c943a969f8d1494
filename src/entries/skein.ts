// The `skein` command. It is read by whatever Node there is: a look at the version first, then the program, which needs a newer one.

const majorMin = 24;

if (Number(process.versions.node.split(".")[0]) >= majorMin) await import("./main.ts");
else {
  process.stderr.write(
    `skein needs Node ${majorMin} or newer, this is ${process.version}\n  put a newer node first on the PATH\n`,
  );
  process.exitCode = 2;
}
