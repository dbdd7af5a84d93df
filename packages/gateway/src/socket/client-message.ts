import type { IncomingMessage } from "node:http";
import { SkillError } from "@skillhold/protocol/error";
import { ClientMessage, type Operation, routeTable } from "@skillhold/protocol/http";
import type { GatewayApp } from "../app.ts";
import { parseJsonBytes } from "../http/json-body.ts";

/** A parsed message, or the error in it. */
export type ParsedMessage =
  | { readonly id: number; readonly message: ClientMessage }
  | { readonly id: number | undefined; readonly fault: SkillError };

const methods: readonly string[] = ClientMessage.options.map(({ shape }) => shape.method.value);

export function parseMessage(text: string): ParsedMessage {
  let value: unknown;
  try {
    value = parseJsonBytes(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const message = error.message.replace(/^The body/, "The message");
    return { id: undefined, fault: usage(message, "Send one JSON object per message.") };
  }
  const parsed = ClientMessage.safeParse(value);
  if (parsed.success) return { id: parsed.data.id, message: parsed.data };
  const { id, method } = fieldsOf(value);
  if (typeof method === "string" && !methods.includes(method))
    return { id, fault: usage(`There is no method ${JSON.stringify(method.slice(0, 64))}.`, messageHint()) };
  const faults = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`));
  const list = faults.join("; ").slice(0, 500);
  return { id, fault: usage(`The message is invalid: ${list}.`, messageHint()) };
}

/** The id for the response, when the invalid message has one. */
function fieldsOf(value: unknown): { readonly id: number | undefined; readonly method: unknown } {
  if (typeof value !== "object" || value === null) return { id: undefined, method: undefined };
  const id = "id" in value && Number.isSafeInteger(value.id) ? Number(value.id) : undefined;
  return { id, method: "method" in value ? value.method : undefined };
}

function messageHint(): string {
  return `A message has an id, params, and one of the methods ${methods.join(", ")}.`;
}

function usage(message: string, hint: string): SkillError {
  return new SkillError("USAGE", message, { hint });
}

/** A message that calls a route. */
export type CallMessage = Extract<
  ClientMessage,
  { readonly method: "skills.list" | "skills.get" | "skills.update" | "approvals.answer" }
>;

export interface SocketCaller {
  /** The client's credentials, which are checked on every call. */
  readonly headers: Headers;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

export interface CallResponse {
  readonly status: number;
  /** The message to send. */
  readonly text: string;
}

/** Calls the route of a message through the application, so that the same checks, handler and records apply. */
export async function callRoute(
  message: CallMessage,
  { headers, request, signal }: SocketCaller,
  app: Pick<GatewayApp, "fetch">,
): Promise<CallResponse> {
  const response = await app.fetch(requestOf(message, headers, signal), { incoming: request });
  const body = await response.text();
  const { id } = message;
  const { status } = response;
  if (!response.ok) return { status, text: `{"id":${id},"error":${body}}` };
  const etag = response.headers.get("etag")?.replace(/^"(.*)"$/, "$1");
  const tag = etag === undefined ? "" : `,"etag":${JSON.stringify(etag)}`;
  return { status, text: `{"id":${id},"result":${body}${tag}}` };
}

interface RouteRequest {
  readonly operation: Operation;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

function requestOf(message: CallMessage, given: Headers, signal: AbortSignal): Request {
  const { operation, params = {}, query = {}, body, ifMatch } = routeOf(message);
  const { method, path } = routeTable[operation];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(params[name] ?? ""));
  const url = new URL(filled, "http://localhost");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = new Headers(given);
  if (ifMatch !== undefined) headers.set("if-match", ifMatch);
  if (body === undefined) return new Request(url, { method, headers, signal });
  headers.set("content-type", "application/json");
  return new Request(url, { method, headers, signal, body: JSON.stringify(body) });
}

function routeOf(message: CallMessage): RouteRequest {
  switch (message.method) {
    case "skills.list":
      return { operation: "listSkills", query: message.params };
    case "skills.get":
      return { operation: "getSkill", params: message.params };
    case "skills.update": {
      const { id, change, ifMatch } = message.params;
      return { operation: "updateSkill", params: { id }, body: change, ifMatch };
    }
    case "approvals.answer": {
      const { question, ...body } = message.params;
      return { operation: "answerQuestion", params: { question }, body };
    }
  }
}

/** Rejects names that URL normalization would remove. */
function segmentOf(name: string): string {
  if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name);
  throw usage(`${JSON.stringify(name)} is not a valid id.`, "Send the id as the list has it.");
}
