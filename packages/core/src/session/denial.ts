import { SkillError, type SkillEvent } from "@skillhold/protocol";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";

/** A request for a skill. */
export interface Request {
  readonly act: Extract<SkillEvent, { readonly type: "skill.denied" }>["act"];
  readonly skill: string;
  readonly path?: string;
  /** The id of the requested run. */
  readonly run?: string;
}

/** A denied request. */
export interface Denial extends Request {
  /** A stable code. It may be more specific than the error that the agent gets. */
  readonly reason: string;
  readonly message: string;
}

/** The denial for the record. The agent learns only that the skill was not found; the record says why. */
export async function explainDenial(
  request: Request,
  error: SkillError,
  viewer: Viewer,
  library: Library,
): Promise<Denial> {
  const reason =
    error.code === "SKILL_NOT_FOUND"
      ? await orUndefined(() => hiddenReason(request.skill, viewer, library))
      : undefined;
  const message = error.message.slice(0, 500);
  return { ...shorten(request), reason: reason ?? error.code, message };
}

/** Why a skill is hidden from a viewer; undefined when no skill has this id. */
export async function hiddenReason(
  id: string,
  viewer: Viewer,
  library: Library,
): Promise<string | undefined> {
  const candidates = await library.explain(viewer, id);
  return candidates.find(({ state }) => state === "hidden" || state === "invalid")?.reason;
}

/** The same error with a hint, built only from data that the viewer may see. */
export async function withHint(
  request: Request,
  error: SkillError,
  viewer: Viewer,
  library: Library,
): Promise<SkillError> {
  const { skill, path } = request;
  if (error.code === "SKILL_NOT_FOUND") {
    const entries = await orUndefined(() => library.list(viewer));
    const ids = (entries ?? []).map(({ id }) => id);
    return hinted(error, suggest(skill, ids), "List the skills to see the available ids.");
  }
  if (error.code === "PATH_NOT_FOUND" && path !== undefined && request.act === "read_resource") {
    const files = await orUndefined(() => library.files(viewer, skill));
    const paths = (files ?? []).map((file) => file.path);
    return hinted(error, suggest(path, paths), "Read the skill to see its files.");
  }
  return error;
}

/** A failure while explaining an error must not replace that error. */
async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    // The original error is more useful.
    return undefined;
  }
}

function hinted(error: SkillError, suggestions: readonly string[], otherwise: string): SkillError {
  return new SkillError(error.code, error.message, {
    hint: didYouMean(suggestions) ?? otherwise,
    details: { ...error.details, suggestions },
    cause: error,
  });
}

/** Request fields can be any text, so the record truncates them. */
function shorten({ act, skill, path, run }: Request): Request {
  return {
    act,
    skill: skill.slice(0, 128),
    ...(path === undefined ? {} : { path: path.slice(0, 512) }),
    ...(run === undefined ? {} : { run }),
  };
}
