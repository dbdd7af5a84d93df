import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModelRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A model server on loopback. `answer` returns the JSON of a response, a status, or undefined to stay silent. */
export async function openModelServer(answer: (request: ModelRequest) => unknown) {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = {
        path: incoming.url ?? "",
        authorization: incoming.headers.authorization,
        body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as ModelRequest["body"],
      };
      requests.push(request);
      const data = answer(request);
      if (data === undefined) return;
      outgoing.statusCode = typeof data === "number" ? data : 200;
      outgoing.end(typeof data === "string" ? data : JSON.stringify(data));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/v1`, requests, close };
}

/** An embedding of a few topics: a text has a component for each topic that one of its words belongs to. */
export function embedTopics(text: string, topics: readonly (readonly string[])[]): readonly number[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [0.1, ...topics.map((topic) => words.filter((word) => topic.includes(word)).length)];
}
