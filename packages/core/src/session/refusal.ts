import { SkillError, type SkillEvent } from "@skillhold/protocol";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import { didYouMean, suggest } from "./suggest.ts";

/** What was asked of a skill. */
export interface Request {
  readonly act: Extract<SkillEvent, { readonly type: "skill.denied" }>["act"];
  readonly skill: string;
  readonly path?: string;
  /** The run that was to be. */
  readonly run?: string;
}

/** The same, as it was not given. */
export interface Refusal extends Request {
  /** A code that can be counted; it may say more than the asker is told. */
  readonly reason: string;
  readonly message: string;
}

/** The refusal as the record should have it. The asker learns only that there is no such skill; the record, why. */
export async function explainRefusal(
  request: Request,
  error: SkillError,
  viewer: Viewer,
  library: Library,
): Promise<Refusal> {
  const reason =
    error.code === "SKILL_NOT_FOUND"
      ? await unlessFailing(() => hiddenReason(request.skill, viewer, library))
      : undefined;
  const message = error.message.slice(0, 500);
  return { ...shorten(request), reason: reason ?? error.code, message };
}

/** Why a skill is hidden from a viewer, or undefined when there is none of this id. */
export async function hiddenReason(
  id: string,
  viewer: Viewer,
  library: Library,
): Promise<string | undefined> {
  const candidates = await library.explain(viewer, id);
  return candidates.find(({ state }) => state === "hidden" || state === "invalid")?.reason;
}

/** The same failure with advice that is drawn from what the viewer can see, and from nothing else. */
export async function withAdvice(
  request: Request,
  error: SkillError,
  viewer: Viewer,
  library: Library,
): Promise<SkillError> {
  const { skill, path } = request;
  if (error.code === "SKILL_NOT_FOUND") {
    const entries = await unlessFailing(() => library.list(viewer));
    const ids = (entries ?? []).map(({ id }) => id);
    return advised(error, suggest(skill, ids), "List the skills to see which there are.");
  }
  if (error.code === "PATH_NOT_FOUND" && path !== undefined && request.act === "read_resource") {
    const files = await unlessFailing(() => library.files(viewer, skill));
    const paths = (files ?? []).map((file) => file.path);
    return advised(error, suggest(path, paths), "Read the skill to see which files it has.");
  }
  return error;
}

/** What only serves to explain a failure must not take its place with a failure of its own. */
async function unlessFailing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch {
    // The failure that is being explained is the one to tell.
    return undefined;
  }
}

function advised(error: SkillError, suggestions: readonly string[], otherwise: string): SkillError {
  return new SkillError(error.code, error.message, {
    hint: didYouMean(suggestions) ?? otherwise,
    details: { ...error.details, suggestions },
    cause: error,
  });
}

/** What was asked for can be any text at all; a record of it has bounds. */
function shorten({ act, skill, path, run }: Request): Request {
  return {
    act,
    skill: skill.slice(0, 128),
    ...(path === undefined ? {} : { path: path.slice(0, 512) }),
    ...(run === undefined ? {} : { run }),
  };
}
