import type { ByteRange } from "../library/library.ts";
import type { ActivatedSkill } from "./activation-text.ts";
import type { SessionResource } from "./resource.ts";
import type { Deactivation, Session } from "./session.ts";
import { succeed, type ToolResult } from "./tool-result.ts";
import { wrap } from "./wrap.ts";

export async function readSkill(
  session: Session,
  id: string,
  again: boolean,
): Promise<ToolResult<ActivatedSkill>> {
  const skill = await session.activate(id, { again });
  return succeed(skill.text, skill);
}

export async function readSkillResource(
  session: Session,
  id: string,
  path: string,
  range: ByteRange,
): Promise<ToolResult<SessionResource>> {
  // The instructions may name a file by the address that stands in for the skill's folder.
  const base = `skill://${id}/`;
  const relative = path.startsWith(base) ? path.slice(base.length) : path;
  const resource = await session.resource(id, relative, range);
  return succeed(resourceText(resource), resource);
}

export async function deactivateSkill(session: Session, id: string): Promise<ToolResult<Deactivation>> {
  const result = await session.deactivate(id);
  return succeed(`The skill ${id} ${result.wasActive ? "is no longer" : "was not"} active.`, result);
}

/** Bytes that are not text would cost a model much and tell it nothing; they are in the data. */
function resourceText(resource: SessionResource): string {
  const { skill, trust, origin, path, encoding, content, mimeType, size, start, length, hasMore, digest } =
    resource;
  const attributes = { skill, path, hash: digest, trust, ...(origin === undefined ? {} : { origin }) };
  const inner = encoding === "utf-8" ? content : `(binary file, ${mimeType}, ${size} bytes)`;
  return [
    ...resource.warnings.map((warning) => `Warning: ${warning}`),
    wrap("skill_file", attributes, inner),
    ...(hasMore ? [`The file has ${size} bytes. To go on, read from start ${start + length}.`] : []),
  ].join("\n");
}
