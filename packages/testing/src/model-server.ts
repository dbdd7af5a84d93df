import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { asRecord, findTool, type ModelRequest } from "./model-request.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";
import type { AnswerReply, ModelScript } from "./reply.ts";
import { cutText, type Wire, type WireReply } from "./wire.ts";

/** A fake model on a loopback port. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`; OpenAI clients take `${url}/v1`. */
  readonly url: string;
  /** Every model request so far, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Calls back on each request, before it is answered; returns the way to stop. */
  onRequest(listener: (request: ModelRequest) => void): () => void;
  close(): Promise<void>;
}

const wires: readonly Wire[] = [openAiChat, openAiResponses, anthropicMessages, gemini];
const LARGEST_BODY = 64 * 1024 * 1024;

/**
 * Starts a fake model that speaks OpenAI chat completions and responses, Anthropic messages and Gemini, streamed
 * and not, and answers with the script's replies. It listens on the loopback interface only.
 */
export async function startModelServer(script: ModelScript): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const listeners = new Set<(request: ModelRequest) => void>();
  const server = createServer((request, response) => {
    const accept = (read: ModelRequest) => {
      for (const listener of listeners) listener(read);
      return requests.push(read) - 1;
    };
    answer(request, response, script, accept).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    onRequest: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: ModelScript,
  accept: (request: ModelRequest) => number,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  if (request.method === "GET" && path.endsWith("/models")) return sendJson(response, 200, modelList);
  if (path.endsWith("/count_tokens")) return sendJson(response, 200, { input_tokens: 1 });
  const wire = wires.find((each) => each.matches(path));
  if (request.method !== "POST" || wire === undefined)
    return sendJson(response, 404, { error: { message: `There is no route ${request.method} ${path}.` } });
  const body = await readBody(request);
  if (body === undefined) return sendJson(response, 400, wire.error(400, "The body is not a JSON object."));
  const read: ModelRequest = {
    ...wire.read(body, path),
    api: wire.api,
    path,
    headers: request.headers,
    body,
  };
  const index = accept(read);
  const reply = await script(read, index);
  if ("hang" in reply) return;
  if ("crash" in reply) return void request.socket.destroy();
  if ("status" in reply) {
    for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
    return sendJson(
      response,
      reply.status,
      wire.error(reply.status, reply.message ?? "The fake model failed."),
    );
  }
  const ready = complete(reply, read, index);
  if (read.isStreaming) sendStream(response, wire, ready);
  else sendJson(response, 200, wire.reply(ready));
}

const modelList = {
  object: "list",
  data: [
    { id: "fake", object: "model", created: 0, owned_by: "skillhold", type: "model", display_name: "fake" },
  ],
  models: [],
};

function complete(reply: AnswerReply, request: ModelRequest, index: number): WireReply {
  const { text = "", calls = [], usage = { input: 10, output: 5 } } = reply;
  return {
    id: `reply-${index}`,
    model: request.model,
    text,
    pieces: cutText(text, reply),
    calls: calls.map(({ name, input = {} }, at) => ({
      id: `call_${index}_${at}`,
      ...findTool(request.tools, name),
      input,
    })),
    usage,
  };
}

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(bytes);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? asRecord(value) : undefined;
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function sendStream(response: ServerResponse, wire: Wire, reply: WireReply): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  for (const { event, data } of wire.stream(reply)) {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
