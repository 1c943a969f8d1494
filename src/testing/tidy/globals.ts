// Finds the uses of global names in a file: identifiers that are values and that no scope around them declares.
import { isNode, type Node, walk } from "./syntax.ts";

export type GlobalUse = { readonly name: string; readonly node: Node; readonly parent: Node };

export function globalUses(program: Node): GlobalUse[] {
  const scopes = bindingScopes(program);
  const uses: GlobalUse[] = [];
  for (const [node, ancestors] of walk(program, isOnlyType)) {
    const parent = ancestors.at(-1);
    if (node.type !== "Identifier" || parent === undefined || isOnlyName(node, parent)) continue;
    const name = String(node.name);
    const declared = scopes.get(name)?.some((scope) => scope.start <= node.start && node.end <= scope.end);
    if (!declared) uses.push({ name, node, parent });
  }
  return uses;
}

/** For each declared name, the nodes inside which it is visible. */
function bindingScopes(program: Node): Map<string, Node[]> {
  const scopes = new Map<string, Node[]>();
  const bind = (pattern: unknown, scope: Node) => {
    for (const name of patternNames(pattern)) scopes.set(name, [...(scopes.get(name) ?? []), scope]);
  };
  for (const [node, ancestors] of walk(program, isOnlyType)) {
    const around = ancestors.findLast((ancestor) => SCOPES.has(ancestor.type)) ?? program;
    if (node.type === "VariableDeclarator") bind(node.id, around);
    if (node.type === "CatchClause") bind(node.param, node);
    if (node.type.startsWith("Import") && node.type.endsWith("Specifier")) bind(node.local, program);
    if (/^(Function|Class)Declaration$/.test(node.type)) bind(node.id, around);
    if (/^(Function|Class)Expression$/.test(node.type)) bind(node.id, node);
    if (Array.isArray(node.params)) for (const param of node.params) bind(param, node);
  }
  return scopes;
}

function patternNames(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  switch (pattern.type) {
    case "Identifier":
      return [String(pattern.name)];
    case "ObjectPattern":
      return Array.isArray(pattern.properties) ? pattern.properties.flatMap(patternNames) : [];
    case "ArrayPattern":
      return Array.isArray(pattern.elements) ? pattern.elements.flatMap(patternNames) : [];
    case "Property":
      return patternNames(pattern.value);
    case "AssignmentPattern":
      return patternNames(pattern.left);
    case "RestElement":
      return patternNames(pattern.argument);
    default:
      return [];
  }
}

/** An identifier that names a property, a label or an exported name instead of reading a variable. */
function isOnlyName(node: Node, parent: Node): boolean {
  if (parent.type === "MemberExpression") return parent.property === node && !parent.computed;
  if (MEMBERS.has(parent.type)) return parent.key === node && !parent.computed;
  if (parent.type === "ExportSpecifier") return parent.local !== node;
  return parent.type.startsWith("Import") || NAMING.has(parent.type);
}

/** Types vanish before the program runs; only the few that wrap a value are looked into. */
function isOnlyType(node: Node): boolean {
  return node.type.startsWith("TS") && !VALUE_WRAPPERS.has(node.type);
}

const SCOPES = new Set([
  "Program",
  "BlockStatement",
  "StaticBlock",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "SwitchStatement",
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

const MEMBERS = new Set(["Property", "MethodDefinition", "PropertyDefinition", "AccessorProperty"]);

const NAMING = new Set(["LabeledStatement", "BreakStatement", "ContinueStatement", "MetaProperty"]);

const VALUE_WRAPPERS = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);
