import { afterEach, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { byConversation, inOrder, type ModelReply, type ModelScript } from "./reply.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function start(script: ModelScript | readonly ModelReply[]): Promise<ModelServer> {
  server = await startModelServer(typeof script === "function" ? script : inOrder(script));
  return server;
}

async function post(path: string, body: unknown) {
  const response = await fetch(`${server?.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The data of each event of a stream. */
function events(text: string) {
  return text
    .split("\n\n")
    .flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? [])
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));
}

const call = { name: "read_skill", input: { skill_id: "pdf" } };
const tool = { name: "mcp__skillhold__read_skill" };

/** A value inside parsed JSON, by its path. */
function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (inner, key) => (inner === null || inner === undefined ? undefined : Reflect.get(Object(inner), key)),
      value,
    );
}

/** The texts at any of these paths of each event, joined. */
function join(list: readonly unknown[], ...paths: readonly string[]): string {
  return list.flatMap((each) => paths.map((path) => at(each, path) ?? "")).join("");
}

/** How each API asks for the same thing. */
const apis = [
  {
    api: "openai-chat",
    path: "/v1/chat/completions",
    body: {
      model: "m",
      messages: [
        { role: "system", content: "sys" },
        { role: "user", content: "hi" },
      ],
      tools: [{ type: "function", function: tool }],
    },
    textOf: (reply: unknown) => at(reply, "choices.0.message.content"),
    callOf: (reply: unknown) => at(reply, "choices.0.message.tool_calls.0.function"),
    streamed: (list: readonly unknown[]) => join(list, "choices.0.delta.content"),
  },
  {
    api: "openai-responses",
    path: "/v1/responses",
    body: {
      model: "m",
      instructions: "sys",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
      tools: [{ type: "namespace", name: "mcp__skillhold", tools: [{ type: "function", ...tool }] }],
    },
    textOf: (reply: unknown) => at(reply, "output.0.content.0.text"),
    callOf: (reply: unknown) => at(reply, "output.0"),
    streamed: (list: readonly unknown[]) =>
      join(
        list.filter((each) => at(each, "type") === "response.output_text.delta"),
        "delta",
      ),
  },
  {
    api: "anthropic",
    path: "/v1/messages",
    body: {
      model: "m",
      system: [{ type: "text", text: "sys" }],
      messages: [{ role: "user", content: "hi" }],
      tools: [tool],
    },
    textOf: (reply: unknown) => at(reply, "content.0.text"),
    callOf: (reply: unknown) => at(reply, "content.0"),
    streamed: (list: readonly unknown[]) => join(list, "delta.text"),
  },
  {
    api: "gemini",
    path: "/v1beta/models/m:generateContent",
    body: {
      systemInstruction: { parts: [{ text: "sys" }] },
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      tools: [{ functionDeclarations: [tool] }],
    },
    textOf: (reply: unknown) => at(reply, "candidates.0.content.parts.0.text"),
    callOf: (reply: unknown) => at(reply, "candidates.0.content.parts.0.functionCall"),
    streamed: (list: readonly unknown[]) => join(list, "candidates.0.content.parts.0.text"),
  },
] as const;

describe.each(apis)("the fake model over $api", ({ api, path, body, textOf, callOf, streamed }) => {
  test("answers with text and records the request in one form [S-58]", async () => {
    const { requests } = await start([{ text: "hello" }]);
    const { status, text } = await post(path, body);
    expect({ status, text: textOf(JSON.parse(text)) }).toEqual({ status: 200, text: "hello" });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ api, model: "m", isStreaming: false });
    expect(requests[0]?.system).toContain("sys");
    expect(requests[0]?.messages).toEqual([{ role: "user", text: "hi" }]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual([tool.name]);
  });

  test("calls a tool under the name that the client lists [S-58]", async () => {
    await start([{ calls: [call] }]);
    const { text } = await post(path, body);
    expect(callOf(JSON.parse(text))).toMatchObject({ name: tool.name });
    expect(text).toContain("skill_id");
  });

  test("streams the same text in pieces [S-58]", async () => {
    await start([{ text: "one two three", chunks: 4 }]);
    const streamPath = path.replace(":generateContent", ":streamGenerateContent");
    const { text, headers } = await post(streamPath, { ...body, stream: true });
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(streamed(events(text))).toBe("one two three");
  });

  test("streams a tool call [S-58]", async () => {
    await start([{ calls: [call] }]);
    const streamPath = path.replace(":generateContent", ":streamGenerateContent");
    const { text } = await post(streamPath, { ...body, stream: true });
    expect(text).toContain(tool.name);
    expect(text.replaceAll("\\", "")).toContain('"skill_id":"pdf"');
  });

  test("fails with the status that the script names [S-58]", async () => {
    await start([{ status: 429, message: "slow down", headers: { "retry-after": "1" } }]);
    const { status, text, headers } = await post(path, body);
    expect({ status, after: headers.get("retry-after") }).toEqual({ status: 429, after: "1" });
    expect(text).toContain("slow down");
  });

  test("breaks the connection when the script crashes [S-58]", async () => {
    await start([{ crash: true }]);
    await expect(post(path, body)).rejects.toThrow();
  });
});

describe("the fake model", () => {
  test("keeps a request open until the client aborts it [S-58]", async () => {
    const { url, onRequest } = await start([{ hang: true }]);
    const abort = new AbortController();
    onRequest(() => abort.abort());
    await expect(
      fetch(`${url}/v1/messages`, { method: "POST", body: "{}", signal: abort.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  test("says which reply its script lacks [S-58]", async () => {
    await start([]);
    expect((await post("/v1/messages", {})).text).toContain("The script has no reply for request 1.");
  });

  test("answers by conversation and turn [S-58]", async () => {
    await start(byConversation({ alpha: [{ text: "a1" }, { text: "a2" }], beta: [{ text: "b1" }] }));
    const ask = async (...messages: string[]) =>
      JSON.parse(
        (
          await post("/v1/messages", {
            messages: messages.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })),
          })
        ).text,
      ).content[0].text;
    expect(await Promise.all([ask("do alpha", "a1", "go on"), ask("do beta"), ask("do alpha")])).toEqual([
      "a2",
      "b1",
      "a1",
    ]);
  });

  test("refuses a body that is not a JSON object, and unknown routes [S-58]", async () => {
    await start([]);
    expect((await post("/v1/messages", [])).status).toBe(400);
    expect((await post("/v1/other", {})).status).toBe(404);
  });
});
