import { SkillError } from "@skillhold/protocol";
import { estimateTokens } from "@skillhold/skill";
import type { ActivatedSkill } from "./activation-text.ts";
import { bindSkill } from "./bound-skill.ts";
import type { AgentManifest } from "./manifest.ts";
import type { Session } from "./session.ts";

/** Reads the role prompt. Contract: the path is relative to the manifest and inside its folder. */
export type ReadPrompt = (path: string) => Promise<string>;

export interface ComposeOptions {
  /** Include the instructions of all visible skills up to this many tokens, for runtimes without tools. */
  readonly fullTokens?: number;
}

/** The composed instructions of an agent. */
export interface Instructions {
  readonly text: string;
  readonly tokens: number;
  /** The activated skills, in order. */
  readonly skills: readonly ActivatedSkill[];
  /** Ids of skills that did not fit. */
  readonly leftOut: readonly string[];
}

/** Joins the role prompt, the skills and the operator's instructions. Each skill is a recorded activation. */
export async function composeInstructions(
  manifest: AgentManifest,
  readPrompt: ReadPrompt,
  session: Session,
  { fullTokens }: ComposeOptions = {},
): Promise<Instructions> {
  const prompt = manifest.prompt === undefined ? "" : await readPrompt(manifest.prompt);
  const bound: ActivatedSkill[] = [];
  for (const id of manifest.usesSkills) bound.push(await bindSkill(id, manifest.id, session));
  const full = fullTokens === undefined ? EMPTY : await injectAll(session, fullTokens);
  const parts = [prompt, ...bound.map(({ text }) => text), full.text, manifest.instructions ?? ""];
  return { ...joined(parts), skills: [...bound, ...full.skills], leftOut: full.leftOut };
}

/**
 * The instructions of all visible skills that are not active, sorted by id, within a token budget. A skill that is too
 * long does not block a shorter one, and the text lists the omitted ids.
 */
export async function injectAll(session: Session, budget: number): Promise<Instructions> {
  const active = new Set<string>(session.active().map(({ skill }) => skill));
  const skills: ActivatedSkill[] = [];
  const leftOut: string[] = [];
  let remaining = budget;
  for (const { id, bodyTokens } of await session.list()) {
    if (active.has(id)) continue;
    const skill = bodyTokens > remaining ? undefined : await activateWithin(id, remaining, session);
    if (skill === undefined) leftOut.push(id);
    else {
      skills.push(skill);
      remaining -= estimateTokens(skill.text);
    }
  }
  const note =
    leftOut.length === 0 ? "" : `Skills omitted because of the token budget: ${leftOut.join(", ")}.`;
  return { ...joined([...skills.map(({ text }) => text), note]), skills, leftOut };
}

const EMPTY: Instructions = { text: "", tokens: 0, skills: [], leftOut: [] };

async function activateWithin(
  id: string,
  maxTokens: number,
  session: Session,
): Promise<ActivatedSkill | undefined> {
  try {
    return await session.activate(id, { again: true, maxTokens });
  } catch (error) {
    if (error instanceof SkillError && error.code === "LIMIT_EXCEEDED") return undefined;
    throw error;
  }
}

function joined(parts: readonly string[]): { readonly text: string; readonly tokens: number } {
  const text = parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
  return { text, tokens: estimateTokens(text) };
}
