// The syntax tree of a TypeScript file, walked without caring for most node types.
// A real parser, because strings, comments and templates that look like code must not count as code.
import { parseSync } from "oxc-parser";
import type { TrackedFile } from "./finding.ts";

export type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

export type Import = { readonly specifier: string | undefined; readonly start: number; readonly node: Node };

/** The file's program. Throws on one that does not parse: no rule can say anything about it. */
export function syntaxOf(file: TrackedFile): Node {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const result = parseSync(file.path, file.text, { lang: "ts", sourceType: "module" });
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${file.path} does not parse: ${error.message}`);
  const program = result.program as unknown as Node;
  parsed.set(file, program);
  return program;
}

/** Every node below `root` and itself, each with its ancestors, nearest last. The array of ancestors is reused. */
export function* walk(
  root: Node,
  skip: (node: Node) => boolean = () => false,
): Generator<readonly [Node, readonly Node[]]> {
  const ancestors: Node[] = [];
  function* visit(node: Node): Generator<readonly [Node, readonly Node[]]> {
    if (skip(node)) return;
    yield [node, ancestors];
    ancestors.push(node);
    for (const child of childrenOf(node)) yield* visit(child);
    ancestors.pop();
  }
  yield* visit(root);
}

/** Everything that names another module: static and dynamic imports, re-exports and `import("…")` types. */
export function importsOf(file: TrackedFile): Import[] {
  const imports: Import[] = [];
  for (const [node] of walk(syntaxOf(file))) {
    if (!IMPORTING.has(node.type)) continue;
    const source = node.source;
    // `export { a }` without a source names no module.
    if (node.type === "ExportNamedDeclaration" && !isNode(source)) continue;
    const value = isNode(source) ? source.value : undefined;
    imports.push({ specifier: typeof value === "string" ? value : undefined, start: node.start, node });
  }
  return imports;
}

export function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

const parsed = new WeakMap<TrackedFile, Node>();

const IMPORTING = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);
