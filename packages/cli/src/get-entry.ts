import { basename } from "node:path";
import type { Explanation } from "@skillhold/core/library";
import { didYouMean, suggest } from "@skillhold/core/session";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { folderId } from "@skillhold/skill";
import type { Opened } from "./open.ts";
import { listProblems } from "./search-problem.ts";

/**
 * The skill of an id, or a failure that says why there is none: who runs the command line owns the folders and may
 * know more than an agent is told. What is others' in a store does not exist for them either.
 */
export async function getEntry(opened: Opened, id: string): Promise<SkillEntry> {
  const entry = await opened.library.find(opened.viewer, id);
  if (entry !== undefined) return entry;
  const candidates = (await opened.library.explain(opened.viewer, id)).filter(opened.isDisclosed);
  const hidden = candidates.find(({ state }) => state === "hidden");
  if (hidden !== undefined) {
    throw new SkillError("SKILL_NOT_FOUND", `The skill ${id} is hidden from this viewer. ${hidden.message}`, {
      hint: `${wayTo(hidden)}; \`skillhold explain ${id}${opened.rootFlags}\` says more.`,
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

/** What lets one see a skill that is hidden. */
function wayTo({ id, reason }: Explanation): string {
  if (reason === "disabled") return `\`skillhold enable ${id}\` switches it on`;
  if (reason === "archived") return `\`skillhold unarchive ${id}\` brings it back`;
  return "Look as another viewer with --agent, --runtime, --as or --allow";
}

/** The failure for an id that no candidate has. */
export async function unknownSkill(opened: Opened, id: string): Promise<SkillError> {
  return unsearchedSkill(opened, id) ?? (await unlistedSkill(opened, id));
}

/** The failure for an id whose folder is there and was not looked into. */
function unsearchedSkill(opened: Opened, id: string): SkillError | undefined {
  const problem = listProblems(opened).find(
    ({ path, reason }) => reason !== "more" && folderId(basename(path)).id === id,
  );
  if (problem === undefined) return undefined;
  const { path, reason, message } = problem;
  return new SkillError(
    "SKILL_NOT_FOUND",
    `There is no skill ${id}, but ${path} has not been looked into. ${message}`,
    {
      hint:
        reason === "link"
          ? "Add --follow-links to follow it."
          : `\`skillhold doctor${opened.rootFlags}\` says what can be done.`,
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
      ? "No skills were found here; name a folder that holds some with --root."
      : `\`skillhold list${rootFlags}\` shows which there are; --root looks into another folder.`;
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, {
    hint: didYouMean(suggestions) ?? otherwise,
    details: { id, suggestions },
  });
}
