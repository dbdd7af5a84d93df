import { neutralText } from "@skillhold/core/text";
import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill, scalarText } from "@skillhold/skill";
import type { SkillAuthor } from "../record/registry-context.ts";
import type { Draft } from "./draft.ts";
import type { PromotionPacket } from "./packet.ts";
import { redactSecrets } from "./redact.ts";
import type { CheckedRepetition } from "./repetition.ts";

const MOST_SESSIONS = 5;
const MOST_STEPS = 50;
const LONGEST_TEXT = 65_536;

/**
 * The draft of an author, or the template where the author writes no skill. Name and frontmatter are the template's: an
 * author that is a model adds only a description and instructions, without secrets.
 */
export async function authorDraft(
  template: Draft,
  packet: PromotionPacket,
  { sessions }: CheckedRepetition,
  { author, limits }: { readonly author: SkillAuthor; readonly limits: Limits },
): Promise<Draft> {
  const recorded = sessions.slice(0, MOST_SESSIONS).map(({ task, steps }) => ({
    ...(task === undefined ? {} : { task: redactSecrets(task) }),
    steps: steps.slice(0, MOST_STEPS).map(({ skill, target, args }) => ({
      skill,
      ...(target === undefined ? {} : { target }),
      // Joined first, because the name of a secret may be another argument than its value.
      ...(args.length === 0 ? {} : { args: redactSecrets(args.join(" ")).slice(0, 2000) }),
    })),
  }));
  const written = await author({ id: template.id, packet: packetText(packet), sessions: recorded });
  if (written === undefined || written.length > LONGEST_TEXT) return template;
  const skill = parseSkill(written, limits);
  const description = neutralText(redactSecrets(scalarText(skill, "description") ?? ""), 1000);
  const body = redactSecrets(skill.body).trim();
  if (!skill.isReadable || description === "" || body === "") return template;
  const head = ["---", `name: ${template.id}`, `description: ${JSON.stringify(description)}`, "---"];
  return { id: template.id, text: [...head, "", body, ""].join("\n") };
}

/** The packet in Molecule's form, without secrets. */
function packetText({ title, summary, changed, reason, workflow, count }: PromotionPacket): string {
  const fields = {
    title,
    summary,
    ...(changed === undefined ? {} : { "what changed": changed }),
    ...(reason === undefined ? {} : { "why it matters": reason }),
  };
  const shown = Object.entries(fields).map(([name, text]) => [name, redactSecrets(text)]);
  const signal = { count, workflow: redactSecrets(workflow) };
  const packet = { ...Object.fromEntries(shown), promote_to_skill: true, repetition_signal: signal };
  return JSON.stringify(packet, undefined, 2);
}
