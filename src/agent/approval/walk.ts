// Visits every node of a shell line's syntax tree that can run something, in the order of the source. Invariant: a kind of node that is
// not listed here makes the line unknown; nothing is passed over.

import type {
  ArithmeticExpression,
  ArrayValue,
  Assignment,
  Command,
  CompoundList,
  ParameterOperation,
  ParsedScript,
  Redirection,
  Script,
  SyntaxNode,
  TestExpression,
  Word,
  WordPart,
} from "unbash";

export interface Found {
  /** `source` is the text that its positions count in; undefined for the line itself. */
  readonly commands: { readonly command: Command; readonly source: string | undefined }[];
  readonly redirections: Redirection[];
  readonly concerns: string[];
  unknown: string | null;
}

/** A calculation reads variables, and runs what stands in an index that one of them holds. */
export const CALCULATES = "calculates";

/** Substitutions within substitutions. */
const depthMax = 50;

export function walkScript(script: ParsedScript): Found {
  const found: Found = { commands: [], redirections: [], concerns: [], unknown: null };
  new Walk(found).script(script, undefined, 0);
  return found;
}

type Node = SyntaxNode | CompoundList | Script;

class Walk {
  private readonly found: Found;
  private source: string | undefined;
  private depth = 0;

  constructor(found: Found) {
    this.found = found;
  }

  script(script: ParsedScript | undefined, source: string | undefined, depth: number): void {
    if (script === undefined) return this.unknown("a substitution is not understood");
    if ((script.errors?.length ?? 0) > 0) return this.unknown("its syntax is not understood");
    if (depth > depthMax) return this.unknown("it is nested too deeply");
    const outer = { source: this.source, depth: this.depth };
    this.source = script.source ?? source;
    this.depth = depth;
    for (const statement of script.commands) this.node(statement.command);
    this.source = outer.source;
    this.depth = outer.depth;
  }

  private unknown(why: string): void {
    this.found.unknown ??= why;
  }

  private concern(what: string): void {
    this.found.concerns.push(what);
  }

  private all(nodes: readonly (Node | undefined)[]): void {
    for (const node of nodes) if (node !== undefined) this.node(node);
  }

  private list({ commands }: CompoundList): void {
    for (const { command } of commands) this.node(command);
  }

  private node(node: Node): void {
    switch (node.type) {
      case "Command":
        return this.command(node);
      case "Pipeline":
      case "AndOr":
        return this.all(node.commands);
      case "Statement":
        return this.node(node.command);
      case "CompoundList":
        return this.list(node);
      case "Subshell":
      case "BraceGroup":
        return this.list(node.body);
      case "If":
        return this.all([
          node.clause,
          node.then,
          ...node.elif.flatMap(({ clause, then }) => [clause, then]),
          node.else,
        ]);
      case "While":
        return this.all([node.clause, node.body]);
      case "For":
        this.assigns(node.name.text);
        for (const word of node.wordlist ?? []) this.word(word);
        return this.list(node.body);
      case "Case":
        this.word(node.word);
        for (const item of node.items) {
          for (const pattern of item.pattern) this.word(pattern);
          this.list(item.body);
        }
        return;
      case "Redirected":
        this.node(node.command);
        for (const one of node.redirects) this.redirection(one);
        return;
      case "TestCommand":
        return this.test(node.expression);
      case "Function":
        this.concern("defines a function");
        return this.node(node.body);
      case "Select":
      case "Coproc":
      case "ArithmeticFor":
      case "ArithmeticCommand":
        return this.rare(node);
      default:
        return this.unknown(`it has a ${node.type} where none is expected`);
    }
  }

  /** What they hold is still looked at: a rule that forbids speaks of it, too. */
  private rare(node: Extract<Node, { type: "Select" | "Coproc" | "ArithmeticFor" | "ArithmeticCommand" }>): void {
    switch (node.type) {
      case "Select":
        this.concern("asks for input");
        for (const word of node.wordlist ?? []) this.word(word);
        return this.list(node.body);
      case "Coproc":
        this.concern("starts a coprocess");
        return this.node(node.body);
      case "ArithmeticFor":
        this.concern(CALCULATES);
        for (const one of [node.initialize, node.test, node.update]) this.arithmetic(one);
        return this.list(node.body);
      case "ArithmeticCommand":
        this.concern(CALCULATES);
        return this.arithmetic(node.expression);
    }
  }

  private command(command: Command): void {
    this.found.commands.push({ command, source: this.source });
    if (command.name !== undefined) this.word(command.name);
    else for (const one of command.prefix) if (one.type === "Assignment") this.assigns(one.name);
    for (const one of [...command.prefix, ...command.suffix]) {
      if (one.type === "Assignment") this.assignment(one);
      else if (one.type === "Word") this.word(one);
      else this.redirection(one);
    }
  }

  /** Capitals are what programs and the shell itself look at: PATH, IFS, BASH_ENV. Of small letters npm's settings and those of proxies. */
  private assigns(name: string): void {
    if (!/^[a-z_][a-z0-9_]*$/.test(name) || /^npm_|proxy$/.test(name)) this.concern(`sets ${name}`);
  }

  private assignment({ value, index }: Assignment): void {
    if (index !== undefined) this.index(index);
    if (value.type === "Word") this.word(value);
    else this.array(value);
  }

  private array({ elements }: ArrayValue): void {
    for (const element of elements) {
      // `a=([index]=value)`, with any quotes in it.
      if (element.text.startsWith("[") && !/^\[\d+\]=/.test(element.text)) this.concern(CALCULATES);
      this.word(element);
    }
  }

  /** An index is calculated, and a calculation can run what a variable holds. */
  private index(index: Word): void {
    if (!/^(\d+|[@*])$/.test(index.text)) this.concern(CALCULATES);
    this.word(index);
  }

  private redirection(redirection: Redirection): void {
    this.found.redirections.push(redirection);
    if (redirection.type === "HereDoc") this.parts(redirection.body.parts);
    else if (redirection.target === undefined) this.unknown("its syntax is not understood");
    else this.word(redirection.target);
  }

  private word({ parts, text }: Word): void {
    // A substitution that is told as text would be passed over.
    if (parts === undefined && /[$`]/.test(text.replace(/\\[\s\S]/g, "")))
      return this.unknown("a word is not understood");
    this.parts(parts);
  }

  private parts(parts: readonly WordPart[] | undefined): void {
    for (const part of parts ?? []) this.part(part);
  }

  private part(part: WordPart): void {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
      case "SimpleExpansion":
        return;
      case "Glob":
        return this.parts(part.parts);
      case "DoubleQuoted":
      case "LocaleString":
        return this.parts(part.parts);
      case "ParameterExpansion":
        // `${!name}` is what another variable names, and `${name@P}` is run as a prompt.
        if (part.prefix === "!") this.concern("reads a variable by a name that another one holds");
        if (part.index !== undefined) this.index(part.index);
        return this.operation(part.operation, part.parameter);
      case "CommandExpansion":
      case "ProcessSubstitution":
        return this.script(part.script, this.source, this.depth + 1);
      case "ArithmeticExpansion":
        this.concern(CALCULATES);
        return this.arithmetic(part.expression);
      case "ExtendedGlob":
      case "BraceExpansion":
        // What they hold is told as parts where there are any; text alone could hide a substitution.
        if (part.parts === undefined && /[$`]/.test(part.text)) return this.unknown("a pattern is not understood");
        return this.parts(part.parts);
      default:
        return this.unknown("its syntax is not understood");
    }
  }

  private operation(operation: ParameterOperation | undefined, parameter: string): void {
    if (operation === undefined) return;
    switch (operation.type) {
      case "Default":
        if (operation.operator.includes("=")) this.assigns(parameter);
        return this.word(operation.operand);
      case "Remove":
        return this.word(operation.operand);
      case "Replace":
        this.word(operation.pattern);
        return this.word(operation.replacement);
      case "CaseModification":
        if (operation.operand !== undefined) this.word(operation.operand);
        return;
      case "Slice":
        this.concern(CALCULATES);
        this.word(operation.offset);
        if (operation.length !== undefined) this.word(operation.length);
        return;
      case "Transform":
        this.concern("transforms a variable");
        return this.word(operation.operand);
      case "Names":
        return;
      default:
        return this.unknown("an expansion is not understood");
    }
  }

  private arithmetic(expression: ArithmeticExpression | undefined): void {
    if (expression === undefined) return;
    switch (expression.type) {
      case "ArithmeticBinary":
        this.arithmetic(expression.left);
        return this.arithmetic(expression.right);
      case "ArithmeticUnary":
        return this.arithmetic(expression.operand);
      case "ArithmeticTernary":
        for (const one of [expression.test, expression.consequent, expression.alternate]) this.arithmetic(one);
        return;
      case "ArithmeticGroup":
        return this.arithmetic(expression.expression);
      case "ArithmeticWord":
        if (expression.parts === undefined && /[$`]/.test(expression.value))
          this.concern("calculates with what is not known");
        return this.parts(expression.parts);
      case "ArithmeticCommandExpansion":
        return this.script(expression.script, this.source, this.depth + 1);
      default:
        return this.unknown("a calculation is not understood");
    }
  }

  private test(expression: TestExpression): void {
    switch (expression.type) {
      case "TestUnary":
        // `-v` and `-R` take the name of a variable, whose index is calculated.
        if (expression.operator === "-v" || expression.operator === "-R") this.concern(CALCULATES);
        return this.word(expression.operand);
      case "TestBinary":
        if (/^-(eq|ne|lt|le|gt|ge)$/.test(expression.operator)) this.concern(CALCULATES);
        this.word(expression.left);
        return this.word(expression.right);
      case "TestLogical":
        for (const operand of expression.operands) this.test(operand);
        return;
      case "TestNot":
        return this.test(expression.operand);
      case "TestGroup":
        return this.test(expression.expression);
      default:
        return this.unknown("a test is not understood");
    }
  }
}
