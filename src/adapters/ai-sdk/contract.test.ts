// The contract of every Provider, on all five kinds, against servers that speak their protocols.

import { afterAll } from "vitest";
import { KINDS, model, serve } from "../../../test/servers/asking.ts";
import { describeProvider } from "../../testing/contract/provider.ts";

const answering = await serve("rules: [{say: hello, calls: [{tool: look}, {tool: look}]}]");
const failing = await serve("rules: [{error: {code: overloaded}}]");
afterAll(async () => {
  await answering.close();
  await failing.close();
});

for (const kind of KINDS)
  describeProvider(`ai-sdk ${kind}`, () => ({
    answering: model(kind, answering.url),
    failing: model(kind, failing.url),
  }));
