import {
  type GetPromptRequestParams,
  type McpServer,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import type { SkillEntry } from "@skillhold/protocol";
import { viewClient } from "./client-view.ts";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { pageAfter } from "./page.ts";
import { argumentsFor, textOfArguments } from "./prompt-argument.ts";

/** The prompt that starts any skill. Skill ids have no underscore, so the name never conflicts. */
export const USE_SKILL = "use_skill";
const PAGE_SIZE = 100;
const DESCRIPTION_LENGTH = 300;

/** Serves user-invocable skills as prompts, which clients show as commands. */
export function servePrompts(mcp: McpServer, connected: Promise<McpConnection>): void {
  const { server } = mcp;
  server.registerCapabilities({ prompts: { listChanged: true } });
  server.setRequestHandler("prompts/list", ({ params }, ctx) =>
    orProtocolError(async () => {
      const entries = await listForUser(await connected);
      const { name: client } = viewClient(server, ctx);
      const { items, nextCursor } = pageAfter(entries, params?.cursor, PAGE_SIZE, ({ id }) => id);
      const general = params?.cursor === undefined && entries.length > 0 ? [useSkill(client)] : [];
      const prompts = [...general, ...items.map((entry) => toPrompt(entry, client))];
      return { prompts, ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    orProtocolError(async () => {
      const connection = await connected;
      const { id, args } = readCommand(params);
      // An explicit request returns the text again, because an earlier one may be in another conversation.
      const { text } = await connection.occupy(() =>
        connection.session.activate(id, { args, again: true, invoker: "user" }),
      );
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    }),
  );
}

/** The user-invocable skills, ordered by id. */
export function listForUser({ skills, viewer }: McpConnection): Promise<readonly SkillEntry[]> {
  return skills.library.list({ ...viewer, invoker: "user" });
}

/** The skill and the text that a user typed for it. */
function readCommand({ name, arguments: sent = {} }: GetPromptRequestParams): {
  readonly id: string;
  readonly args: string;
} {
  const args = textOfArguments(sent);
  if (name !== USE_SKILL) return { id: name, args };
  // A client that passes all words to the one required argument sends the arguments with the id.
  const [id = "", ...words] = (sent["skill"] ?? "").trim().split(/\s+/);
  if (id === "") throw missingSkill();
  return { id, args: [...words, args].filter((word) => word !== "").join(" ") };
}

const GENERAL_HINT = "The arguments for the skill.";

function useSkill(client: string): Prompt {
  const rest = argumentsFor(client, GENERAL_HINT).map((each) => ({ ...each, required: false }));
  return {
    name: USE_SKILL,
    title: "Use a skill",
    description: "Start a skill by its id.",
    arguments: [{ name: "skill", description: "The id of the skill.", required: true }, ...rest],
  };
}

function toPrompt({ id, name, description, argumentHint }: SkillEntry, client: string): Prompt {
  const hint = argumentHint === undefined ? GENERAL_HINT : neutralText(argumentHint, 64);
  return {
    name: id,
    title: neutralText(name, 64),
    description: neutralText(description, DESCRIPTION_LENGTH),
    arguments: argumentsFor(client, hint),
  };
}

function missingSkill(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `The prompt ${USE_SKILL} requires the argument skill.`,
  );
}
