import { pause, type Timers } from "@skillhold/core/port";
import { ModelFailure } from "./model.ts";

export interface EndpointOptions {
  /** Such as `https://host/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
}

export interface EndpointPorts {
  readonly fetch: typeof fetch;
  readonly timers: Timers;
}

const RETRIES = 4;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const LARGEST_REPLY = 32 * 1024 * 1024;
const BUSY = new Set([408, 429, 500, 502, 503, 504, 529]);

/** Posts JSON to a model endpoint and reads JSON. A busy endpoint is asked again, as late as it wishes. */
export async function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  signal: AbortSignal,
  { fetch, timers }: EndpointPorts,
): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(url, headers, body, signal, fetch);
    const text = await readText(response, url);
    if (response.ok) return parseReply(text, url);
    if (!BUSY.has(response.status) || attempt >= RETRIES)
      throw new ModelFailure(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
    await pause(waitMs(response, attempt), timers, { signal });
    signal.throwIfAborted();
  }
}

async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  signal: AbortSignal,
  send: typeof fetch,
): Promise<Response> {
  try {
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
    return await send(url, { ...init, body: JSON.stringify(body), signal, redirect: "error" });
  } catch (error) {
    signal.throwIfAborted();
    throw new ModelFailure(`${url} cannot be reached: ${reasonOf(error)}`);
  }
}

async function readText(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > LARGEST_REPLY) throw new Error(`it is larger than ${LARGEST_REPLY} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw new ModelFailure(`The reply of ${url} broke off: ${reasonOf(error)}`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseReply(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelFailure(`${url} answered with text that is not JSON: ${text.slice(0, 200)}`);
  }
}

function waitMs(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get("retry-after"));
  const asked = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : FIRST_WAIT_MS * 2 ** attempt;
  return Math.min(asked, LONGEST_WAIT_MS);
}

/** `fetch` hides the system's reason in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
