// The form of single files: how long, how they open, what they export, what they are called, what a test must hold.
import { type Finding, findingAt, isMadeElsewhere, isTest, isTypeScript, type TrackedFile } from "./finding.ts";
import { type Import, importsOf, isNode, type Node, syntaxOf, walk } from "./syntax.ts";

const LINES_MAX = 500;
const HEADER_LINES_MAX = 6;
const EMPTY_NAMES = new Set(["utils", "util", "common", "helpers", "helper", "misc"]);

export function shortFiles(file: TrackedFile): Finding[] {
  if (!/\.(ts|tsx|mts|mjs|js|css)$/.test(file.path) || isMadeElsewhere(file.path)) return [];
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  return lines > LINES_MAX ? [findingAt(file, 0, `${lines} lines; split it, at most ${LINES_MAX} land`)] : [];
}

/** Lines that hold only the marks of a block comment are not counted. */
export function headerComments(file: TrackedFile): Finding[] {
  if (!isTypeScript(file) || !file.path.startsWith("src/") || isMadeElsewhere(file.path)) return [];
  const afterInterpreter = file.text.replace(/^#!.*\n/, "");
  const block = /^\/\*[\s\S]*?\*\//.exec(afterInterpreter)?.[0];
  const header = block ?? /^(\/\/.*(\n|$))*/.exec(afterInterpreter)?.[0] ?? "";
  const lines = header.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line)).length;
  if (lines === 0) return [findingAt(file, 0, "the file does not open with a comment on what it owns")];
  const tooLong = `the opening comment has ${lines} lines; at most ${HEADER_LINES_MAX}`;
  return lines > HEADER_LINES_MAX ? [findingAt(file, 0, tooLong)] : [];
}

export function namedExports(file: TrackedFile): Finding[] {
  if (!isTypeScript(file) || isMadeElsewhere(file.path) || file.path.endsWith(".config.ts")) return [];
  return found(file, (node) => {
    if (node.type === "ExportDefaultDeclaration" || node.type === "TSExportAssignment")
      return "a default export has no name";
    if (node.type === "ExportAllDeclaration") return "export * hides what is exported; name it";
    if (node.type !== "ExportSpecifier" || !isNode(node.exported)) return undefined;
    return node.exported.name === "default" ? "a default export has no name" : undefined;
  });
}

export function noAny(file: TrackedFile): Finding[] {
  if (!isTypeScript(file) || isMadeElsewhere(file.path)) return [];
  return found(file, (node) =>
    node.type === "TSAnyKeyword" ? "any turns the type checker off; use unknown" : undefined,
  );
}

export function tellingNames({ path }: TrackedFile): Finding[] {
  if (isMadeElsewhere(path)) return [];
  const empty = path.split("/").find((part) => EMPTY_NAMES.has(part.replace(/\..*$/, "")));
  return empty === undefined ? [] : [{ path, line: 1, message: `"${empty}" does not say what is inside` }];
}

/** A test asserts by itself or hands its subject to a contract suite, which does. */
export function testsAssert(file: TrackedFile): Finding[] {
  if (!isTest(file.path)) return [];
  const contracts = new Set(importsOf(file).flatMap(namesFromContract));
  const asserts = (name: string) => ASSERTION.test(name) || contracts.has(name);
  for (const [node] of walk(syntaxOf(file))) {
    if (node.type === "CallExpression" && calledNames(node.callee).some(asserts)) return [];
  }
  return [findingAt(file, 0, "the test asserts nothing")];
}

const ASSERTION = /^(expect|assert)([A-Z]|$)/;

function namesFromContract({ specifier, node }: Import): string[] {
  if (!/contract/.test(specifier ?? "") || !Array.isArray(node.specifiers)) return [];
  return node.specifiers.filter(isNode).map((one) => (isNode(one.local) ? String(one.local.name) : ""));
}

/** The names in `a.b(…).c`. */
function calledNames(callee: unknown): string[] {
  if (!isNode(callee)) return [];
  if (callee.type === "Identifier") return [String(callee.name)];
  if (callee.type === "MemberExpression") return [...calledNames(callee.object), ...calledNames(callee.property)];
  return calledNames(callee.callee);
}

function found(file: TrackedFile, problem: (node: Node) => string | undefined): Finding[] {
  const findings: Finding[] = [];
  for (const [node] of walk(syntaxOf(file))) {
    const message = problem(node);
    if (message !== undefined) findings.push(findingAt(file, node.start, message));
  }
  return findings;
}
