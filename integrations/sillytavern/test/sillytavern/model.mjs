// An OpenAI-compatible model that says what the test wrote, streamed or not, and keeps the prompts it was sent.
import { createServer } from "node:http";

/** Starts the model. `say(text)` is the next reply; `prompts` are the messages of every request, as JSON text. */
export async function startModel() {
  const prompts = [];
  const replies = [];
  const server = createServer(async (request, response) => {
    if (request.url.endsWith("/models")) return json(response, { object: "list", data: [{ id: "script", object: "model" }] });
    let body = "";
    for await (const part of request) body += part;
    const asked = JSON.parse(body || "{}");
    if (!request.url.endsWith("/chat/completions")) return json(response, {});
    prompts.push(asked.messages);
    const text = replies.shift() ?? "…";
    if (!asked.stream) {
      return json(response, { id: "1", object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }] });
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of text.match(/.{1,7}/gsu) ?? []) {
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: part } }] })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    prompts,
    say: (text) => replies.push(text),
    /** The last prompt as one text. */
    lastPrompt: () => (prompts.at(-1) ?? []).map((message) => `${message.role}: ${typeof message.content === "string" ? message.content : JSON.stringify(message.content)}`).join("\n"),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
