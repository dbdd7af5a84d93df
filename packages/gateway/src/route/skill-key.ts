import { SkillError } from "@skillhold/protocol/error";
import type { GatewayContext } from "../gateway-context.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id of the skill that a route names by its id or UUID; what is neither of any skill stays as it is. Contract: a
 * refusal names what the caller wrote, as `noSkill` does, and never the id: that a UUID is someone's is not for all to
 * know.
 */
export async function skillIdOf(
  key: string,
  { registry }: Pick<GatewayContext, "registry">,
): Promise<string> {
  if (!isUuid(key)) return key;
  return (await registry.store.findSkill(key))?.id ?? key;
}

export function isUuid(key: string): boolean {
  return UUID.test(key);
}

/** The refusal for a skill that is not there, or not for the one who asks: in the same words. */
export function noSkill(key: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${key}.`, {
    hint: "GET /v1/skills lists the skills that there are for you.",
    details: { id: key },
  });
}
