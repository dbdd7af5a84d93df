import type { Role } from "@skillhold/protocol";
import { routeTable } from "@skillhold/protocol/http";
import type { RunningGateway } from "../gateway/serve.fixture.ts";
import { type SkillFiles, zipOf } from "./skill-zip.ts";

/** Calls a route, and returns the response body. */
export type Api = (method: string, path: string, body?: unknown) => Promise<unknown>;

export interface Who {
  readonly role: Role;
  readonly user: string;
  readonly agent?: string;
}

/** The routes of a gateway without its console. */
export interface ConsoleApi {
  /** With an administrator's token. */
  readonly api: Api;
  /** The same in the name of someone else, who gets a token for it. */
  readonly apiAs: (who: Who) => Promise<Api>;
  readonly publish: (skills: Readonly<Record<string, SkillFiles>>, as?: Api) => Promise<void>;
}

/** Uses an administrator token that the user of these headers issues. */
export async function apiFrom(
  gateway: RunningGateway,
  headers: Readonly<Record<string, string>>,
): Promise<ConsoleApi> {
  const response = await fetch(`${gateway.url}/v1/tokens`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "deploy script", role: "admin" }),
  });
  const api = apiWith(secretOf(await response.json()), gateway);
  return {
    api,
    apiAs: async (who) =>
      apiWith(
        secretOf(await api("POST", "/v1/tokens", { name: `${who.agent ?? who.user} on a laptop`, ...who })),
        gateway,
      ),
    publish: async (skills, as = api) => {
      if (Object.keys(skills).length === 0) return;
      const { answer } = routeTable.uploadSkills;
      const { skills: done } = answer.parse(await as("POST", "/v1/skills/upload", await zipOf(skills)));
      for (const each of done) if (each.status === "failed") throw new Error(JSON.stringify(each));
    },
  };
}

function secretOf(answer: unknown): string {
  return routeTable.issueToken.answer.parse(answer).secret;
}

function apiWith(secret: string, { url }: RunningGateway): Api {
  return async (method, path, body) => {
    const isArchive = body instanceof Uint8Array;
    const type = isArchive ? "application/zip" : "application/json";
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...(body === undefined ? {} : { "content-type": type }) },
      // The bytes of an archive are over a buffer of their own.
      ...(body === undefined
        ? {}
        : { body: isArchive ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}
