import { basename } from "node:path";
import type { Explanation } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { folderId } from "@skillhold/skill";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import type { Opened } from "./open.ts";
import { listProblems } from "./search-problem.ts";

/**
 * Finds a skill by id. The error explains a hidden or invalid skill, because a user of the command line may see more than
 * an agent; skills of other users in a store stay undisclosed.
 */
export async function getEntry(opened: Opened, id: string): Promise<SkillEntry> {
  const entry = await opened.library.find(opened.viewer, id);
  if (entry !== undefined) return entry;
  const candidates = (await opened.library.explain(opened.viewer, id)).filter(opened.isDisclosed);
  const hidden = candidates.find(({ state }) => state === "hidden");
  if (hidden !== undefined) {
    throw new SkillError("SKILL_NOT_FOUND", `The skill ${id} is hidden from this viewer. ${hidden.message}`, {
      hint: `${wayTo(hidden)} Run \`skillhold explain ${id}${opened.rootFlags}\` for details.`,
      details: { id, reason: hidden.reason },
    });
  }
  const [invalid] = candidates;
  if (invalid !== undefined) {
    throw new SkillError("SKILL_INVALID", `The skill ${id} cannot be loaded. ${invalid.message}`, {
      hint: `Run \`skillhold validate ${invalid.path}\` to see each finding with its fix.`,
      details: { id, path: invalid.path },
    });
  }
  throw await unknownSkill(opened, id);
}

/** How to make a hidden skill visible. */
function wayTo({ id, reason }: Explanation): string {
  if (reason === "disabled") return `Run \`skillhold enable ${id}\` to switch it on.`;
  if (reason === "archived") return `Run \`skillhold unarchive ${id}\` to return it to use.`;
  return "Choose another viewer with --agent, --runtime, --as or --allow.";
}

/** The error for an id without a candidate. */
export async function unknownSkill(opened: Opened, id: string): Promise<SkillError> {
  return unsearchedSkill(opened, id) ?? (await unlistedSkill(opened, id));
}

/** The error for an id whose folder exists but was not searched. */
function unsearchedSkill(opened: Opened, id: string): SkillError | undefined {
  const problem = listProblems(opened).find(
    ({ path, reason }) => reason !== "more" && folderId(basename(path)).id === id,
  );
  if (problem === undefined) return undefined;
  const { path, reason, message } = problem;
  return new SkillError(
    "SKILL_NOT_FOUND",
    `There is no skill ${id}, but ${path} was not searched. ${message}`,
    {
      hint:
        reason === "link"
          ? "Add --follow-links to follow the link."
          : `Run \`skillhold doctor${opened.rootFlags}\` to see the fix.`,
      details: { id, path },
    },
  );
}

async function unlistedSkill(
  { library, viewer, isDisclosed, rootFlags }: Opened,
  id: string,
): Promise<SkillError> {
  const candidates = (await library.explain(viewer)).filter(isDisclosed);
  const ids = [...new Set(candidates.map((candidate) => candidate.id))];
  const suggestions = suggest(id, ids);
  const otherwise =
    ids.length === 0
      ? "No skills were found here. Name a folder that contains skills with --root."
      : `Run \`skillhold list${rootFlags}\` to see the skills, or add --root to search another folder.`;
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, {
    hint: didYouMean(suggestions) ?? otherwise,
    details: { id, suggestions },
  });
}
