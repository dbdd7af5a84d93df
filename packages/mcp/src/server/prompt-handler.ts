import { type McpServer, type Prompt, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import type { SkillEntry } from "@skillhold/protocol";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { pageOf } from "./page.ts";

/** Starts any skill by name; no id has an underscore, so that none is in its way. */
export const USE_SKILL = "use_skill";
const PAGE = 100;
const DESCRIPTION_LENGTH = 300;

/** Serves the skills that a user may start by name as prompts, which clients show as commands. */
export function servePrompts(mcp: McpServer, connection: McpConnection): void {
  const { server } = mcp;
  server.registerCapabilities({ prompts: { listChanged: true } });
  server.setRequestHandler("prompts/list", ({ params }) =>
    orProtocolError(async () => {
      const entries = await listForUser(connection);
      const { items, nextCursor } = pageOf(entries, params?.cursor, PAGE, ({ id }) => id);
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
      // The user asks for the text; that it was handed over before may have been in another conversation.
      const { text } = await connection.occupy(() =>
        connection.session.activate(id, { args, again: true, invoker: "user" }),
      );
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    }),
  );
}

/** The skills that are open to a user who names them, ordered by id. */
export function listForUser({ skills, viewer }: McpConnection): Promise<readonly SkillEntry[]> {
  return skills.library.list({ ...viewer, invoker: "user" });
}

const useSkill: Prompt = {
  name: USE_SKILL,
  title: "Use a skill",
  description: "Start a skill by its id.",
  arguments: [
    { name: "skill", description: "The id of the skill.", required: true },
    { name: "args", description: "What the skill is given.", required: false },
  ],
};

function toPrompt({ id, name, description, argumentHint }: SkillEntry): Prompt {
  const hint = argumentHint === undefined ? "What the skill is given." : neutralText(argumentHint, 64);
  return {
    name: id,
    title: neutralText(name, 64),
    description: neutralText(description, DESCRIPTION_LENGTH),
    arguments: [{ name: "args", description: hint, required: false }],
  };
}

function missingSkill(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${USE_SKILL} needs the argument skill.`);
}
