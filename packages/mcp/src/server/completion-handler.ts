import { setImmediate } from "node:timers/promises";
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { listForUser, USE_SKILL } from "./prompt-handler.ts";

/** How the skills extension writes the addresses of skills' files. */
const TEMPLATE = "skill://{+path}";
const SHOWN = 100;
/** Each has to be opened to know whether it can be read. */
const LOOKED_INTO = 20;

/** Completes the ids of skills and the paths of their files, wherever the protocol lets a client ask for it. */
export function serveCompletion(mcp: McpServer, connection: McpConnection): void {
  const { server } = mcp;
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler("completion/complete", ({ params: { ref, argument } }) =>
    orProtocolError(async () => {
      if (ref.type === "ref/prompt") return shown(await completePrompt(ref.name, argument, connection));
      return await connection.attend(() => completeResource(ref.uri, argument, connection));
    }),
  );
}

function shown(values: readonly string[]) {
  const completion = {
    values: values.slice(0, SHOWN),
    total: values.length,
    hasMore: values.length > SHOWN,
  };
  return { completion };
}

interface Argument {
  readonly name: string;
  readonly value: string;
}

async function completePrompt(
  prompt: string,
  { name, value }: Argument,
  connection: McpConnection,
): Promise<string[]> {
  const ids = (await listForUser(connection)).map(({ id }) => id as string);
  if (prompt !== USE_SKILL && !ids.includes(prompt))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such prompt.");
  return prompt === USE_SKILL && name === "skill" ? completeId(ids, value) : [];
}

/** Those that begin with what was typed, then those that have it somewhere. */
function completeId(ids: readonly string[], value: string): string[] {
  const wanted = value.toLowerCase();
  const first = ids.filter((id) => id.startsWith(wanted));
  return [...first, ...ids.filter((id) => !id.startsWith(wanted) && id.includes(wanted))];
}

async function completeResource(template: string, { name, value }: Argument, connection: McpConnection) {
  if (template !== TEMPLATE)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such resource template.");
  if (name !== "path") return shown([]);
  const end = value.indexOf("/");
  if (end < 0) return await completeSkill(value, connection);
  const served = await connection.findServed(value.slice(0, end));
  const paths = served?.files.map(({ uri }) => uri.slice("skill://".length)) ?? [];
  return shown(paths.filter((path) => path.startsWith(value)));
}

/** Only addresses that can be read. How many more there are is not known before each is looked into. */
async function completeSkill(value: string, connection: McpConnection) {
  const ids = completeId(
    (await connection.listOwn()).map(({ id }) => id),
    value,
  );
  const values: string[] = [];
  for (const id of ids.slice(0, LOOKED_INTO)) {
    const served = await connection.findServed(id);
    if (served !== undefined) values.push(served.skill.uri.slice("skill://".length));
    await setImmediate();
  }
  return { completion: { values, hasMore: ids.length > LOOKED_INTO } };
}
