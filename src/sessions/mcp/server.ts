// An MCP server with tools and nothing else, as a function from lines to lines. Which session asks, and what the tools do, is not its affair.
// Invariant: each request has exactly one answer, in the order in which they came, and none of them ends the server.

import { cleanLine } from "../../base/text.ts";
import { CODES, errorOf, incomingOf, type Outgoing, type Params, type RequestId, resultOf } from "./json-rpc.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: object;
  readonly readOnly: boolean;
  /** Never rejects for bad input: what is wrong with it is a failed answer, which the model reads and mends. */
  run(args: Params): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly failed: boolean;
  readonly text: string;
}

export interface ServerSpec {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

/** Newest first. What a client of another version is answered is the first; it may then go. */
export const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export const lineBytesMax = 1024 * 1024;
const batchMax = 50;
/** The one version in which messages come in lists, too. */
const batchVersion = "2025-03-26";

export class McpServer {
  readonly #spec: ServerSpec;
  /** Null until `initialize`. */
  #version: string | null = null;

  constructor(spec: ServerSpec) {
    this.#spec = spec;
  }

  /** The answer to one line, without a newline; null where none is due. */
  async answer(line: string): Promise<string | null> {
    if (line.trim() === "") return null;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return JSON.stringify(errorOf(null, CODES.parse, "this line is not JSON"));
    }
    if (!Array.isArray(value)) {
      const one = await this.#one(value);
      return one === null ? null : JSON.stringify(one);
    }
    if (this.#version !== batchVersion || value.length === 0 || value.length > batchMax)
      return JSON.stringify(
        errorOf(null, CODES.request, `messages in a list are for protocol ${batchVersion}, at most ${batchMax}`),
      );
    const answers: Outgoing[] = [];
    for (const message of value) {
      const one = await this.#one(message);
      if (one !== null) answers.push(one);
    }
    return answers.length === 0 ? null : JSON.stringify(answers);
  }

  /** What a line beyond the limit is answered. */
  tooLong(): string {
    return JSON.stringify(errorOf(null, CODES.request, `this line has more than ${lineBytesMax} bytes`));
  }

  async #one(message: unknown): Promise<Outgoing | null> {
    const incoming = incomingOf(message);
    switch (incoming.kind) {
      case "notification":
      case "answer":
        return null;
      case "fault":
        return errorOf(incoming.id, incoming.code, incoming.message);
      case "request":
        return this.#request(incoming.id, incoming.method, incoming.params);
    }
  }

  async #request(id: RequestId, method: string, params: Params): Promise<Outgoing> {
    if (method === "ping") return resultOf(id, {});
    if (method === "initialize") return this.#initialize(id, params);
    const known = method === "tools/list" || method === "tools/call";
    if (!known) return errorOf(id, CODES.method, `there is no method ${JSON.stringify(cleanLine(method, 200))}`);
    if (this.#version === null) return errorOf(id, CODES.request, "initialize has to come first");
    if (method === "tools/list") return resultOf(id, { tools: this.#spec.tools.map(described) });
    return this.#call(id, params);
  }

  #initialize(id: RequestId, { protocolVersion }: Params): Outgoing {
    if (typeof protocolVersion !== "string") return errorOf(id, CODES.params, '"protocolVersion" must be a text');
    if (this.#version !== null) return errorOf(id, CODES.request, "this connection is initialized already");
    this.#version = PROTOCOL_VERSIONS.find((one) => one === protocolVersion) ?? PROTOCOL_VERSIONS[0];
    const { version, instructions } = this.#spec;
    return resultOf(id, {
      protocolVersion: this.#version,
      capabilities: { tools: {} },
      serverInfo: { name: "skein", title: "Skein", version },
      instructions,
    });
  }

  async #call(id: RequestId, { name, arguments: given = {} }: Params): Promise<Outgoing> {
    const tool = this.#spec.tools.find((one) => one.name === name);
    if (tool === undefined)
      return errorOf(id, CODES.params, `there is no tool ${JSON.stringify(cleanLine(String(name), 200))}`);
    if (typeof given !== "object" || given === null || Array.isArray(given))
      return errorOf(id, CODES.params, '"arguments" must be an object');
    try {
      const { failed, text } = await tool.run(given as Params);
      return resultOf(id, { content: [{ type: "text", text }], isError: failed });
    } catch (cause) {
      return errorOf(id, CODES.internal, cleanLine(cause instanceof Error ? cause.message : String(cause), 500));
    }
  }
}

/** Clients ask a person before a tool that may destroy something or reach others; these do neither. */
function described({ name, title, description, inputSchema, readOnly }: Tool): object {
  const annotations = {
    title,
    readOnlyHint: readOnly,
    destructiveHint: false,
    idempotentHint: readOnly,
    openWorldHint: false,
  };
  return { name, title, description, inputSchema, annotations };
}
