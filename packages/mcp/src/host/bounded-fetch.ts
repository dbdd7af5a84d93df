import type { FetchLike } from "@modelcontextprotocol/client";
import { refuse } from "./refusal.ts";

/** A fetch whose answers end in a failure once they are larger than any that is expected, whatever they announce. */
export function boundedFetch(mostBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    return new Response(body.pipeThrough(counter(mostBytes)), { status, statusText, headers });
  };
}

function counter(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) controller.enqueue(chunk);
      else controller.error(refuse("MCP_ANSWER_INVALID", `The server sent more than ${mostBytes} bytes.`));
    },
  });
}
