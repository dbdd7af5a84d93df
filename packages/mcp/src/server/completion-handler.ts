import { setImmediate } from "node:timers/promises";
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { listForUser, USE_SKILL } from "./prompt-handler.ts";

/** The URI template of the skills extension. */
const TEMPLATE = "skill://{+path}";
const MAX_VALUES = 100;
/** Each skill must be opened to check that it can be served. */
const MAX_CHECKED = 20;

/** Completes skill ids in prompts and file paths in resource templates. */
export function serveCompletion(mcp: McpServer, connected: Promise<McpConnection>): void {
  const { server } = mcp;
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler("completion/complete", ({ params: { ref, argument } }) =>
    orProtocolError(async () => {
      const connection = await connected;
      if (ref.type === "ref/prompt")
        return completionOf(await completePrompt(ref.name, argument, connection));
      return await connection.attend(() => completeResource(ref.uri, argument, connection));
    }),
  );
}

function completionOf(values: readonly string[]) {
  const completion = {
    values: values.slice(0, MAX_VALUES),
    total: values.length,
    hasMore: values.length > MAX_VALUES,
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
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${neutralText(prompt, 64)}.`,
    );
  return prompt === USE_SKILL && name === "skill" ? completeId(ids, value) : [];
}

/** Ids that start with the value, then ids that contain it. */
function completeId(ids: readonly string[], value: string): string[] {
  const prefix = value.toLowerCase();
  const first = ids.filter((id) => id.startsWith(prefix));
  return [...first, ...ids.filter((id) => !id.startsWith(prefix) && id.includes(prefix))];
}

async function completeResource(template: string, { name, value }: Argument, connection: McpConnection) {
  if (template !== TEMPLATE)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no resource template ${neutralText(template, 64)}.`,
    );
  if (name !== "path") return completionOf([]);
  const end = value.indexOf("/");
  if (end < 0) return await completeSkill(value, connection);
  const served = await connection.findServed(value.slice(0, end));
  const paths = served?.files.map(({ uri }) => uri.slice("skill://".length)) ?? [];
  return completionOf(paths.filter((path) => path.startsWith(value)));
}

/** Completes only URIs that can be read. The total is unknown, because each skill must be checked. */
async function completeSkill(value: string, connection: McpConnection) {
  const ids = completeId(
    (await connection.listOwn()).map(({ id }) => id),
    value,
  );
  const values: string[] = [];
  for (const id of ids.slice(0, MAX_CHECKED)) {
    const served = await connection.findServed(id);
    if (served !== undefined) values.push(served.skill.uri.slice("skill://".length));
    await setImmediate();
  }
  return { completion: { values, hasMore: ids.length > MAX_CHECKED } };
}
