import type { IncomingMessage } from "node:http";
import { SkillError } from "@skillhold/protocol/error";
import { type ClientMessage, type Operation, routeTable } from "@skillhold/protocol/http";
import type { GatewayApp } from "../app.ts";

/** A message that asks for what a route gives. */
export type CallMessage = Extract<
  ClientMessage,
  { readonly method: "skills.list" | "skills.get" | "skills.update" | "approvals.answer" }
>;

/** As whom it is asked, and for how long anyone waits. */
export interface Caller {
  /** What the client proves who it is with, at each call anew. */
  readonly headers: Headers;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

export interface CallAnswer {
  readonly status: number;
  /** The message to send. */
  readonly text: string;
}

interface Asked {
  readonly operation: Operation;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

/** Answers a message with what the route of the same name answers: it goes through the same checks to the same handler. */
export async function answerCall(
  message: CallMessage,
  { headers, request, signal }: Caller,
  app: Pick<GatewayApp, "fetch">,
): Promise<CallAnswer> {
  const response = await app.fetch(requestOf(message, headers, signal), { incoming: request });
  const said = await response.text();
  const { id } = message;
  const { status } = response;
  if (!response.ok) return { status, text: `{"id":${id},"error":${said}}` };
  const etag = response.headers.get("etag")?.replace(/^"(.*)"$/, "$1");
  const tag = etag === undefined ? "" : `,"etag":${JSON.stringify(etag)}`;
  return { status, text: `{"id":${id},"result":${said}${tag}}` };
}

function requestOf(message: CallMessage, given: Headers, signal: AbortSignal): Request {
  const { operation, params = {}, query = {}, body, ifMatch } = askedOf(message);
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

function askedOf(message: CallMessage): Asked {
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

/** What an address would leave out is no name of anything. */
function segmentOf(name: string): string {
  if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name);
  throw new SkillError("USAGE", "That is not the id of a skill.", { hint: "Send the id as it is listed." });
}
