// Google's Gemini API, streamGenerateContent as server-sent events. Source: ai.google.dev/api/generate-content.
// Calls have no ids and come whole; what is 0 is left out of the usage.

import type { Message } from "../../src/model/message.ts";
import { callOf, list, object, optionalList, optionalNumber, resultOf, string, textOf, WrongBody } from "./body.ts";
import {
  type Answer,
  type Frame,
  frame,
  type Json,
  knownFigures,
  type Protocol,
  pieces,
  type Reading,
  type RefusalCode,
} from "./protocol.ts";

const ERRORS: Readonly<Record<RefusalCode, readonly [code: number, status: string, reason: string | null]>> = {
  unauthorized: [400, "INVALID_ARGUMENT", "API_KEY_INVALID"],
  quota: [403, "PERMISSION_DENIED", "BILLING_DISABLED"],
  "rate-limit": [429, "RESOURCE_EXHAUSTED", null],
  overloaded: [503, "UNAVAILABLE", null],
  "bad-request": [400, "INVALID_ARGUMENT", null],
  "not-found": [404, "NOT_FOUND", null],
  other: [500, "INTERNAL", null],
};

export const gemini: Protocol = {
  name: "gemini",
  takes: (path) => /\/models\/[^/]+:streamGenerateContent$/.test(path),
  keyIn: (headers) => (typeof headers["x-goog-api-key"] === "string" ? headers["x-goog-api-key"] : null),
  read,
  frames,
  refusal: (code, message, retryDelayMs) => ({ status: ERRORS[code][0], body: errorBody(code, message, retryDelayMs) }),
  errorFrame: (code, message) => frame(errorBody(code, message, null)),
};

function errorBody(kind: RefusalCode, message: string, retryDelayMs: number | null): Json {
  const [code, status, reason] = ERRORS[kind];
  const details = [
    ...(reason === null
      ? []
      : [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" }]),
    ...(retryDelayMs === null
      ? []
      : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryDelayMs / 1_000}s` }]),
  ];
  return { error: { code, message, status, ...(details.length > 0 && { details }) } };
}

function read(given: unknown, path: string): Reading {
  const body = object(given, "body");
  const config = body.generationConfig === undefined ? {} : object(body.generationConfig, "generationConfig");
  const instruction = body.systemInstruction === undefined ? {} : object(body.systemInstruction, "systemInstruction");
  const declarations = optionalList(body.tools, "tools").flatMap((tool, index) =>
    list(object(tool, `tools[${index}]`).functionDeclarations, `tools[${index}].functionDeclarations`),
  );
  return {
    model: /\/models\/([^/:]+):/.exec(path)?.[1] ?? "",
    system: textOf(instruction.parts, "systemInstruction.parts"),
    messages: messagesOf(
      list(body.contents, "contents").map((content, index) => object(content, `contents[${index}]`)),
    ),
    tools: declarations.map((one, index) => string(object(one, `tools[${index}]`).name, `tools[${index}].name`)),
    outputTokensMax: optionalNumber(config.maxOutputTokens),
    cacheMarkers: [],
    wantsUsage: true,
  };
}

function messagesOf(contents: readonly Json[]): readonly Message[] {
  const messages: Message[] = [];
  for (const [index, { role, parts: given }] of contents.entries()) {
    const at = `contents[${index}]`;
    const parts = list(given, at).map((part) => object(part, at));
    const text = parts.flatMap((part) => ("text" in part ? [string(part.text, at)] : [])).join("");
    if (role === "model") {
      const calls = parts.flatMap((part, place) => {
        if (!("functionCall" in part)) return [];
        const { id = `${index}-${place}`, name, args } = object(part.functionCall, at);
        return [callOf(id, name, args, at)];
      });
      messages.push({ role: "assistant", text, calls });
      continue;
    }
    const before = messages.at(-1);
    const asked = before?.role === "assistant" ? before.calls : [];
    const answers = parts.flatMap((part) => ("functionResponse" in part ? [object(part.functionResponse, at)] : []));
    if (asked.map(({ name }) => name).join() !== answers.map(({ name }) => String(name)).join())
      throw new WrongBody(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    const results = answers.map(({ name, response }, place) => {
      const { content, error } = object(response, at);
      return resultOf(asked[place]?.id, String(name), string(error ?? content, at), error !== undefined, at);
    });
    if (results.length > 0) messages.push({ role: "tool", results });
    if (text !== "" || results.length === 0) messages.push({ role: "user", text });
  }
  return messages;
}

function frames(answer: Answer, reading: Reading): readonly Frame[] {
  const chunk = (parts: readonly Json[], finish: string | null = null): Json => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finish !== null && { finishReason: finish }) }],
    ...usageOf(answer),
    modelVersion: reading.model,
    responseId: "r1",
  });
  // A call that the output limit cuts off does not come at all.
  const calls = answer.stop === "length" ? answer.calls.slice(0, -1) : answer.calls;
  return [
    ...(answer.thinking === null ? [] : [frame(chunk([{ text: answer.thinking, thought: true }]))]),
    ...(answer.text === "" || answer.stop === "refusal" ? [] : pieces(answer.text)).map((text) =>
      frame(chunk([{ text }])),
    ),
    ...calls.map(({ name, json }) =>
      frame(chunk([{ functionCall: { name, args: JSON.parse(json) }, thoughtSignature: "c2lnbmVk" }]), {
        announcesCall: true,
      }),
    ),
    frame(chunk([{ text: "" }], STOPS[answer.stop])),
  ];
}

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
};

function usageOf({ usage }: Answer): Json {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const figures = knownFigures({
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    cachedContentTokenCount: cachedTokens,
    totalTokenCount:
      inputTokens === "unavailable" || outputTokens === "unavailable" ? undefined : inputTokens + outputTokens,
  });
  const counted = Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== 0));
  return Object.keys(counted).length === 0 ? {} : { usageMetadata: counted };
}
