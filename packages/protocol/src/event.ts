import { z } from "zod";
import { Digest, SkillId } from "./id.ts";

const about = { at: z.iso.datetime(), skill: SkillId, hash: Digest };
const bySession = { ...about, session: z.string() };

/** Everything that Skillhold announces and records. A new event is a new member here. */
export const SkillEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("skill.discovered"), ...about, source: z.string() }),
  z.object({ type: z.literal("skill.activated"), ...bySession }),
  z.object({ type: z.literal("skill.resource_read"), ...bySession, path: z.string() }),
  z.object({ type: z.literal("skill.script_executed"), ...bySession, script: z.string(), exitCode: z.int() }),
]);
export type SkillEvent = Readonly<z.infer<typeof SkillEvent>>;
