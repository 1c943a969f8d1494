// The least that a client of this kind can be: asks, runs what is asked for, asks again. What a client takes beyond it is its own.
// node bare-loop.mjs <url> <prompt>
import { readFile, writeFile } from "node:fs/promises";

const [, , url, prompt] = process.argv;
const tools = ["read_file", "edit_file", "delegate_task"].map((name) => ({
  name,
  description: name,
  input_schema: { type: "object" },
}));
process.stdout.write(`${await agent(prompt)}\n`);

async function agent(task) {
  const messages = [{ role: "user", content: task }];
  for (;;) {
    const body = JSON.stringify({ model: "bench", max_tokens: 1000, stream: true, messages, tools });
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const events = (await response.text())
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));
    const blocks = events.flatMap((event) =>
      event.type === "content_block_start" ? [{ ...event.content_block, json: "" }] : [],
    );
    for (const { index, delta } of events.filter(({ type }) => type === "content_block_delta")) {
      if (delta.type === "text_delta") blocks[index].text += delta.text;
      else blocks[index].json += delta.partial_json;
    }
    const content = blocks.map(({ json, ...block }) =>
      block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block,
    );
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return content.map(({ text }) => text).join("");
    messages.push({ role: "assistant", content });
    const results = await Promise.all(
      calls.map(async ({ id, name, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: await run(name, input),
      })),
    );
    messages.push({ role: "user", content: results });
  }
}

async function run(name, input) {
  if (name === "delegate_task") return agent(input.task);
  const text = await readFile(input.path, "utf8");
  if (name === "read_file") return text;
  const [{ old_string: from, new_string: to }] = input.edits;
  await writeFile(input.path, text.replace(from, to));
  return "edited";
}
