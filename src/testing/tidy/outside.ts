// Keeps domain code away from the outside: no disk, process, network, clock or chance except through a port, so that a
// whole run can be replayed from one seed. Pure computation is not the outside.
import { isBuiltin } from "node:module";
import { type Finding, findingAt, isTest, isTypeScript, type TrackedFile } from "./finding.ts";
import { type GlobalUse, globalUses } from "./globals.ts";
import { DOMAINS } from "./import-table.ts";
import { type Import, importsOf, isNode, type Node, syntaxOf } from "./syntax.ts";

export function nothingOutside(file: TrackedFile): Finding[] {
  const domain = DOMAINS.some((folder) => file.path.startsWith(`src/${folder}/`));
  if (!domain || !isTypeScript(file) || isTest(file.path)) return [];
  const found: Finding[] = [];
  for (const imported of importsOf(file)) {
    const problem = problemWithImport(imported);
    if (problem !== undefined) found.push(findingAt(file, imported.start, problem));
  }
  for (const use of globalUses(syntaxOf(file))) {
    const name = outsideName(use);
    if (name !== undefined)
      found.push(findingAt(file, use.node.start, `${name} reaches the outside; take a port of host`));
  }
  return found;
}

/** Modules of Node that only compute. */
const PURE_MODULES = new Set([
  "assert",
  "assert/strict",
  "buffer",
  "events",
  "path",
  "path/posix",
  "string_decoder",
  "url",
  "util",
  "util/types",
  "zlib",
]);

/** What domain code may take of node:crypto: hashing; the rest of it is mostly chance. */
const HASHING = new Set(["createHash", "createHmac", "hash", "timingSafeEqual", "Hash", "Hmac", "BinaryLike"]);

const GLOBALS = new Set([
  "process",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "performance",
  "fetch",
  "crypto",
  "WebSocket",
  "EventSource",
  "BroadcastChannel",
  "Worker",
  "navigator",
  "require",
]);

/** Members of globals that are otherwise pure. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Date: new Set(["now"]),
  Math: new Set(["random"]),
  AbortSignal: new Set(["timeout"]),
  Temporal: new Set(["Now"]),
  globalThis: GLOBALS,
};

function problemWithImport({ specifier, node }: Import): string | undefined {
  if (specifier === undefined) return "a computed import can reach anything; name the module";
  if (!isBuiltin(specifier)) return undefined;
  const name = specifier.replace(/^node:/, "");
  if (PURE_MODULES.has(name)) return undefined;
  if (name !== "crypto") return `node:${name} reaches the outside; take a port of host`;
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
  const names = specifiers.map((one) => (isNode(one.imported) ? String(one.imported.name) : "*"));
  const other = names.length === 0 ? "*" : names.find((one) => !HASHING.has(one));
  return other === undefined ? undefined : `${other} of node:crypto is not hashing; take the port for chance`;
}

function outsideName({ name, node, parent }: GlobalUse): string | undefined {
  if (GLOBALS.has(name)) return name;
  if (name === "Date" && isClockReading(node, parent)) return parent.type === "NewExpression" ? "new Date()" : "Date()";
  const member = MEMBERS[name];
  if (member === undefined || parent.type !== "MemberExpression" || parent.object !== node) return undefined;
  const property = isNode(parent.property) ? String(parent.property.name ?? parent.property.value) : "";
  return member.has(property) ? `${name}.${property}` : undefined;
}

/** `new Date(ms)` is arithmetic; without an argument it reads the clock, and so does `Date()`. */
function isClockReading(node: Node, parent: Node): boolean {
  if (parent.callee !== node) return false;
  if (parent.type === "CallExpression") return true;
  return parent.type === "NewExpression" && Array.isArray(parent.arguments) && parent.arguments.length === 0;
}
