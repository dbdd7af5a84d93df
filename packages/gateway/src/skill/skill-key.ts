import { SkillError } from "@skillhold/protocol/error";
import type { GatewayContext } from "../gateway-context.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id of a skill that a request names by id or UUID; an unknown key is returned unchanged. Contract: errors name the
 * key that the caller sent, as `noSkill` does, because the id of a UUID may be a secret.
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

/** The error for a missing skill, and the same one for a skill that is hidden from the caller. */
export function noSkill(key: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${key}.`, {
    hint: "GET /v1/skills lists the skills that you can see.",
    details: { id: key },
  });
}
