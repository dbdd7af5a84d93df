import { SkillError } from "@skillhold/protocol";
import { estimateTokens } from "@skillhold/skill";
import type { ActivatedSkill } from "./activation-text.ts";
import type { AgentManifest } from "./manifest.ts";
import type { Session } from "./session.ts";

/** Reads the file of a role prompt; the path is relative to the manifest and stays below its folder. */
export type ReadPrompt = (path: string) => Promise<string>;

export interface ComposeOptions {
  /** Put in the instructions of all visible skills, as far as these tokens go: for runtimes without tools. */
  readonly fullTokens?: number;
}

/** An agent's instructions, put together. */
export interface Instructions {
  readonly text: string;
  readonly tokens: number;
  /** What was activated for them, in order. */
  readonly skills: readonly ActivatedSkill[];
  /** Ids of skills that had no room. */
  readonly leftOut: readonly string[];
}

/** Role prompt, then skills, then the operator's own words. Each skill is a recorded activation. */
export async function composeInstructions(
  manifest: AgentManifest,
  readPrompt: ReadPrompt,
  session: Session,
  { fullTokens }: ComposeOptions = {},
): Promise<Instructions> {
  const prompt = manifest.prompt === undefined ? "" : await readPrompt(manifest.prompt);
  const bound: ActivatedSkill[] = [];
  for (const id of manifest.usesSkills) bound.push(await bind(id, manifest, session));
  const full = fullTokens === undefined ? NOTHING : await injectAll(session, fullTokens);
  const parts = [prompt, ...bound.map(({ text }) => text), full.text, manifest.instructions ?? ""];
  return { ...joined(parts), skills: [...bound, ...full.skills], leftOut: full.leftOut };
}

/**
 * The instructions of all visible skills that are not in use yet, in the order of their ids, within a budget. One
 * that is too long does not keep out a shorter one, and the text says which are left out.
 */
export async function injectAll(session: Session, budget: number): Promise<Instructions> {
  const active = new Set<string>(session.active().map(({ skill }) => skill));
  const skills: ActivatedSkill[] = [];
  const leftOut: string[] = [];
  let rest = budget;
  for (const { id, bodyTokens } of await session.list()) {
    if (active.has(id)) continue;
    const skill = bodyTokens > rest ? undefined : await activateWithin(id, rest, session);
    if (skill === undefined) leftOut.push(id);
    else {
      skills.push(skill);
      rest -= estimateTokens(skill.text);
    }
  }
  const note = leftOut.length === 0 ? "" : `Skills left out for want of room: ${leftOut.join(", ")}.`;
  return { ...joined([...skills.map(({ text }) => text), note]), skills, leftOut };
}

const NOTHING: Instructions = { text: "", tokens: 0, skills: [], leftOut: [] };

/** The operator names the skill, and so it may be one that models or users cannot start. */
async function bind(id: string, manifest: AgentManifest, session: Session): Promise<ActivatedSkill> {
  const isForModel = (await session.list()).some((entry) => entry.id === id);
  try {
    return await session.activate(id, { again: true, invoker: isForModel ? "model" : "user" });
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
    throw new SkillError(
      "SKILL_NOT_FOUND",
      `The agent ${manifest.id} uses the skill ${id}, which is not there.`,
      {
        hint: error.hint,
        details: { ...error.details, agent: manifest.id, id },
        cause: error,
      },
    );
  }
}

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
