import { type McpServer, type Prompt, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import type { SkillEntry } from "@skillhold/protocol";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { pageAfter } from "./page.ts";

/** The prompt that starts any skill. Skill ids have no underscore, so the name never conflicts. */
export const USE_SKILL = "use_skill";
const PAGE_SIZE = 100;
const DESCRIPTION_LENGTH = 300;

/** Serves user-invocable skills as prompts, which clients show as commands. */
export function servePrompts(mcp: McpServer, connection: McpConnection): void {
  const { server } = mcp;
  server.registerCapabilities({ prompts: { listChanged: true } });
  server.setRequestHandler("prompts/list", ({ params }) =>
    orProtocolError(async () => {
      const entries = await listForUser(connection);
      const { items, nextCursor } = pageAfter(entries, params?.cursor, PAGE_SIZE, ({ id }) => id);
      const general = params?.cursor === undefined && entries.length > 0 ? [useSkill] : [];
      const prompts = [...general, ...items.map((entry) => toPrompt(entry))];
      return { prompts, ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    orProtocolError(async () => {
      const { args = "", skill } = params.arguments ?? {};
      if (params.name === USE_SKILL && skill === undefined) throw missingSkill();
      const id = params.name === USE_SKILL ? (skill ?? "") : params.name;
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

const useSkill: Prompt = {
  name: USE_SKILL,
  title: "Use a skill",
  description: "Start a skill by its id.",
  arguments: [
    { name: "skill", description: "The id of the skill.", required: true },
    { name: "args", description: "The arguments for the skill.", required: false },
  ],
};

function toPrompt({ id, name, description, argumentHint }: SkillEntry): Prompt {
  const hint = argumentHint === undefined ? "The arguments for the skill." : neutralText(argumentHint, 64);
  return {
    name: id,
    title: neutralText(name, 64),
    description: neutralText(description, DESCRIPTION_LENGTH),
    arguments: [{ name: "args", description: hint, required: false }],
  };
}

function missingSkill(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `The prompt ${USE_SKILL} requires the argument skill.`,
  );
}
