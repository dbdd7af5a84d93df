import { SkillError } from "@skillhold/protocol/error";
import type { z } from "zod";

/** An endpoint that serves a model over HTTP, in the shape of the OpenAI API. */
export interface ModelEndpoint {
  /** The base address, as `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** An answer that takes longer is a failure. */
  readonly timeoutMs: number;
}

export interface EndpointPorts {
  readonly fetch: typeof fetch;
}

const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** Posts JSON and reads the answer by a schema. The endpoint may be dead, slow or broken: that is a REMOTE_FAILED. */
export async function askModel<T>(
  { url, key, timeoutMs }: ModelEndpoint,
  path: string,
  body: unknown,
  schema: z.ZodType<T>,
  { fetch, signal }: EndpointPorts & { readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const address = `${url.replace(/\/+$/, "")}${path}`;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      redirect: "error",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw failed(address, `it answered with status ${response.status}`);
    }
    return schema.parse(JSON.parse(await readText(response, address)));
  } catch (error) {
    if (error instanceof SkillError) throw error;
    if (limit.aborted) throw failed(address, `it did not answer within ${timeoutMs} ms`, error);
    throw failed(address, reasonOf(error), error);
  }
}

async function readText({ body }: Pick<Response, "body">, address: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_ANSWER_BYTES)
      throw failed(address, `its answer is longer than ${MOST_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "its answer is not JSON";
  if (error instanceof Error && error.name === "ZodError")
    return "its answer does not have the expected fields";
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code === undefined ? "it cannot be reached" : `it cannot be reached (${code})`;
}

/** The address is shown without credentials and query. */
export function failed(address: string, reason: string, cause?: unknown): SkillError {
  return new SkillError("REMOTE_FAILED", `The model at ${showAddress(address)} failed: ${reason}.`, {
    hint: "Check the address, the name of the model and that the server runs. Search works without it.",
    cause,
  });
}

function showAddress(address: string): string {
  if (!URL.canParse(address)) return "an invalid address";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
