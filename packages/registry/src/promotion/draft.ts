import { neutralText } from "@skillhold/core/text";
import { slugify } from "@skillhold/skill";
import type { PromotionPacket } from "./packet.ts";
import { redactSecrets } from "./redact.ts";
import type { CheckedRepetition, LoggedStep } from "./repetition.ts";

export interface Draft {
  readonly id: string;
  readonly text: string;
}

const MAX_ID = 40;

/**
 * A SKILL.md from a packet and the recorded sessions, for a reviewer to improve. It has no `allowed-tools`, so that it
 * pre-approves no tool for its own author.
 */
export function draftSkill(packet: PromotionPacket, repetition: CheckedRepetition): Draft {
  const id = idOf(packet);
  const summary = line(packet.summary, 500);
  const workflow = line(packet.workflow, 200);
  const description = line(`${summary} Use when asked for this workflow: ${workflow}.`, 1000);
  const [example] = repetition.sessions;
  const tasks = [...new Set(repetition.sessions.flatMap(({ task }) => task ?? []))].slice(0, 5);
  return {
    id,
    text: [
      "---",
      `name: ${id}`,
      `description: ${JSON.stringify(description)}`,
      "---",
      "",
      `# ${line(packet.title, 120)}`,
      "",
      summary,
      ...section("When to use", [
        `Use this skill for: ${workflow}.`,
        ...tasks.map((task) => `- ${line(task, 200)}`),
      ]),
      ...section("Steps", example === undefined ? fallbackSteps(packet) : example.steps.map(stepText)),
      ...section("What changed", paragraphs(packet.changed)),
      ...section("Why it matters", paragraphs(packet.reason)),
      "",
    ].join("\n"),
  };
}

function idOf({ workflow, title }: PromotionPacket): string {
  const slug = slugify(workflow) || slugify(title) || "promoted-workflow";
  return slug.slice(0, MAX_ID).replaceAll(/^-+|-+$/g, "");
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${heading}`, "", ...lines];
}

function paragraphs(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split("\n").map((each) => line(each, 1000));
}

function fallbackSteps({ changed, summary }: PromotionPacket): readonly string[] {
  return [`1. ${line(changed ?? summary, 1000)}`];
}

function stepText({ skill, target, args }: LoggedStep, index: number): string {
  const number = `${index + 1}.`;
  if (target === undefined) return `${number} Read the skill \`${skill}\`.`;
  // Joined first, because the name of a secret may be another argument than its value.
  const shown = line(args.join(" "), 400).replaceAll("`", "'");
  return `${number} Run \`${target}\` of the skill \`${skill}\`${shown === "" ? "" : ` with \`${shown}\``}.`;
}

function line(text: string, length: number): string {
  return neutralText(redactSecrets(text), length);
}
