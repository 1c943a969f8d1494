// JSON-RPC 2.0 messages as MCP's stdio transport carries them, one a line: https://modelcontextprotocol.io/specification/2025-11-25
// Invariant: whatever comes in is a request, a notification, an answer of the client's, or a fault that can be answered.

export type RequestId = string | number;

export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Params }
  | { readonly kind: "notification"; readonly method: string }
  /** This server asks nothing, so an answer is nobody's. */
  | { readonly kind: "answer" }
  | { readonly kind: "fault"; readonly id: RequestId | null; readonly code: number; readonly message: string };

export type Params = Readonly<Record<string, unknown>>;

export const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const;

const methodCharsMax = 200;

export function incomingOf(value: unknown): Incoming {
  if (!isRecord(value)) return fault(null, "a JSON-RPC message is an object");
  const { jsonrpc, id, method, params } = value;
  const known = isId(id) ? id : null;
  if (jsonrpc !== "2.0") return fault(known, '"jsonrpc" must be "2.0"');
  if (method === undefined && ("result" in value || "error" in value)) return { kind: "answer" };
  if (typeof method !== "string" || method.length > methodCharsMax)
    return fault(known, '"method" must be a short text');
  if (params !== undefined && !isRecord(params)) return fault(known, '"params" must be an object');
  if (!("id" in value)) return { kind: "notification", method };
  if (!isId(id)) return fault(null, '"id" must be a text or a whole number');
  return { kind: "request", id, method, params: params ?? {} };
}

function fault(id: RequestId | null, message: string): Incoming {
  return { kind: "fault", id, code: CODES.request, message };
}

const idCharsMax = 300;

function isId(id: unknown): id is RequestId {
  return typeof id === "string" ? id.length <= idCharsMax : Number.isSafeInteger(id);
}

export function isRecord(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Outgoing =
  | { readonly jsonrpc: "2.0"; readonly id: RequestId; readonly result: object }
  | {
      readonly jsonrpc: "2.0";
      readonly id: RequestId | null;
      readonly error: { readonly code: number; readonly message: string };
    };

export function resultOf(id: RequestId, result: object): Outgoing {
  return { jsonrpc: "2.0", id, result };
}

export function errorOf(id: RequestId | null, code: number, message: string): Outgoing {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
