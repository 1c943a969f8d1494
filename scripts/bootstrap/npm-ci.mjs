// Runs `npm ci` quietly: its output is shown only when it fails, and it never outlives its caller by plan.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, delimiter, dirname } from "node:path";
import { SetupError } from "./setup-error.mjs";

const OUTPUT_LINES_SHOWN_MAX = 12;

const children = new Set();

/** Runs `npm ci` on that Node, in a folder with a lock file. Rejects with a SetupError made of `what` failed and `advice`. */
export function npmCi({ node, cwd, what, advice }) {
  const flags = ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const [file, ...args] = npmCommand(node);
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args, ...flags], {
      cwd,
      env: npmEnvironment(node),
      stdio: ["ignore", "pipe", "pipe"],
      shell: file === "npm" && process.platform === "win32",
    });
    children.add(child);
    let output = "";
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.on("error", (error) =>
      reject(new SetupError(`${what}: npm did not start (${error.message})`, "install npm")),
    );
    child.on("close", (code) => {
      children.delete(child);
      if (code === 0) return resolve();
      reject(new SetupError(`${what}; npm said:\n${head(output)}`, advice));
    });
  });
}

/** The npm that started us, by its own script, else the one on PATH. */
function npmCommand(node) {
  const script = process.env.npm_execpath ?? "";
  return basename(script) === "npm-cli.js" && existsSync(script) ? [node, script] : ["npm"];
}

/** With that Node for npm's own first line, without what an outer `npm run` says about the outer package. */
function npmEnvironment(node) {
  const inherited =
    /^npm_(package|lifecycle|command|config_(local_prefix|prefix|global|ignore_scripts|production|omit)$)/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)));
  return node === process.execPath ? env : { ...env, PATH: [dirname(node), env.PATH ?? ""].join(delimiter) };
}

/** For the way out after a signal: ends every npm that still runs. */
export function endNpm() {
  for (const child of children) child.kill();
}

function head(output) {
  return output
    .trim()
    .split("\n")
    .slice(0, OUTPUT_LINES_SHOWN_MAX)
    .map((line) => `  ${line}`)
    .join("\n");
}
