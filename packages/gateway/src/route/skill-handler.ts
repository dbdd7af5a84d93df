import { normalizeRelative } from "@skillhold/core/bundle";
import type { SkillFile } from "@skillhold/core/library";
import type { SearchState } from "@skillhold/core/semantic";
import { useCounts } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { isAdministrator, isPerson } from "../auth/principal.ts";
import { requestViewer, type ViewerQuery } from "../auth/viewer.ts";
import { sha256Of } from "../bytes.ts";
import type { CacheRequest } from "../cache/response-cache.ts";
import { isFresh } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import { readRange } from "../http/range.ts";
import type { Served } from "../http/served.ts";
import type { CatalogueContext, RunningContext } from "../running-context.ts";
import { type DisclosedSkill, getDisclosedSkill } from "../skill/disclosed-skill.ts";
import { fileReply } from "../skill/file-response.ts";
import {
  type FileList,
  readCachedBytes,
  readContent,
  readFileList,
  readGated,
} from "../skill/skill-content.ts";
import { skillChangeHandlers } from "./skill-change-handler.ts";
import { listPage } from "./skill-list.ts";
import { etagOf, rowOf, rowsOf } from "./skill-row.ts";

type SkillOperation =
  | "listSkills"
  | "searchSkills"
  | "getCatalogue"
  | "getSkill"
  | "updateSkill"
  | "deleteSkill"
  | "restoreSkill"
  | "toggleSkill"
  | "setStatus"
  | "listFiles"
  | "readFile";

export const skillHandlers: Pick<Handlers, SkillOperation> = {
  listSkills,
  searchSkills,
  getCatalogue,
  getSkill,
  listFiles,
  readFile,
  ...skillChangeHandlers,
};

async function listSkills(call: Call<"listSkills">, context: CatalogueContext): Promise<Reply<"listSkills">> {
  return await context.responses.get(call, async (version) => {
    const page = await listPage(call, version, context);
    // The view version does not cover deleted skills.
    return { data: page, extra: undefined, isCacheable: call.query.view !== "deleted" };
  });
}

async function searchSkills(
  call: Call<"searchSkills">,
  context: CatalogueContext,
): Promise<Reply<"searchSkills">> {
  const { q, limit = context.registry.limits.searchHits, ...viewAs } = call.query;
  return await context.responses.get(call, async () => {
    const viewer = await requestViewer(call.principal, viewAs, context);
    const uses = useCounts(await context.uses());
    const results = await context.library.search(viewer, q, { limit, uses });
    const ids = results.map(({ entry }) => entry.id);
    const visible = (await context.library.survey(viewer, ids)).filter(({ isVisible }) => isVisible);
    const rows = new Map(
      rowsOf(visible, { principal: call.principal, viewer }, context).map((row) => [row.entry.id, row]),
    );
    const hits = results.flatMap(({ entry, hit, snippet }) => {
      const row = rows.get(entry.id);
      // Instructions that an agent receives are recorded, and searches are not, so agents get no text from instructions.
      const isShown = isPerson(call.principal) || hit.fields.includes("description");
      // The shares of a score describe the whole index, so only viewers who see all of it get them.
      const shown = isAdministrator(call.principal) ? hit : { ...hit, parts: {} };
      return row === undefined ? [] : [{ row, hit: shown, snippet: isShown ? snippet : "" }];
    });
    const fits = hits.some(({ hit }) => !hit.isWeak);
    const notes = searchNotes(context.library.searchState);
    // A model that fails now may answer the next search.
    return { data: { hits, fits, notes }, extra: undefined, isKept: notes.length === 0 };
  });
}

/** Models that the search went on without. Addresses and reasons are for the log and for administrators. */
function searchNotes({ vectors, reranker }: SearchState): readonly string[] {
  return [
    ...(vectors?.problem === undefined
      ? []
      : ["Ranked without the embedder, which does not answer or has changed."]),
    ...(reranker?.problem === undefined ? [] : ["Ranked without the reranker, which does not answer."]),
  ];
}

async function getCatalogue(
  call: Call<"getCatalogue">,
  context: CatalogueContext,
): Promise<Reply<"getCatalogue">> {
  const { format, model, task, ...viewAs } = call.query;
  const request = {
    ...(format === undefined ? {} : { format }),
    ...(model === undefined ? {} : { model }),
    ...(task === undefined ? {} : { task }),
  };
  return await context.responses.get(call, async () => {
    const viewer = await requestViewer(call.principal, viewAs, context);
    return { data: await context.catalogue(request, viewer), extra: undefined };
  });
}

async function getSkill(call: Call<"getSkill">, context: RunningContext): Promise<Reply<"getSkill">> {
  const { params, query, headers } = call;
  const { json, etag, extra } = await context.responses.get<Served>(strictly(call), () =>
    renderSkill(params.id, query, call, context),
  );
  if (isFresh(headers, etag)) return { unchanged: etag };
  return { json, etag, served: [extra] };
}

/** Content is never older than the request. */
function strictly(call: Call<"getSkill"> | Call<"readFile">): CacheRequest {
  const { operation, principal, params, query, paramsKey, storeVersion } = call;
  return { operation, principal, params, query, paramsKey, storeVersion, isStrict: true };
}

async function renderSkill(
  key: string,
  viewAs: ViewerQuery,
  { principal }: Call<"getSkill">,
  context: RunningContext,
) {
  const skill = await getDisclosedSkill(key, { principal, viewAs }, context);
  const content = await readContent(skill, context);
  const { body, frontmatter, treeHash, skillHash, files, entry } = content;
  const row = rowOf({ ...skill.access, entry }, skill.held, { principal, viewer: skill.viewer });
  const file = files.find(({ digest }) => digest === skillHash);
  const served: Served = {
    skill: entry.id,
    hash: treeHash,
    revision: entry.revision,
    path: file?.path ?? "SKILL.md",
    digest: skillHash,
    bytes: file?.size ?? 0,
  };
  const data = { ...row, body, frontmatter, treeHash, skillHash, files };
  // The view version covers neither edits of files in folders nor the managers of a deleted skill.
  const isCacheable = skill.held !== undefined && skill.access.reason !== "deleted";
  return { data, etag: etagOf(skill, treeHash), extra: served, isCacheable };
}

async function listFiles(call: Call<"listFiles">, context: CatalogueContext): Promise<Reply<"listFiles">> {
  const { revision: wanted, ...viewAs } = call.query;
  const skill = await getDisclosedSkill(call.params.id, { principal: call.principal, viewAs }, context);
  const { files, treeHash, revision } = await readFileList(skill, wanted, context);
  return { data: { files, treeHash, revision }, etag: treeHash };
}

async function readFile(call: Call<"readFile">, context: RunningContext): Promise<Reply<"readFile">> {
  const { headers } = call;
  const { extra } = await context.responses.get<ListedFile>(strictly(call), () => findFile(call, context));
  const { skill, file, treeHash, revision } = extra;
  const { path, digest: etag } = file;
  if (isFresh(headers, etag)) return { unchanged: etag };
  const range = readRange(headers, file.size, etag);
  const bytes = await readGated(file, call, () => readCachedBytes(skill, file, context), context);
  const sent = range === undefined ? bytes : bytes.subarray(range.start, range.end);
  const digest = range === undefined ? file.digest : sha256Of(sent);
  const { id } = skill.access.entry;
  const served = [{ skill: id, hash: treeHash, revision, path, digest, bytes: sent.length }];
  return { ...fileReply(path, bytes, etag, range), served };
}

/** A file that the caller may read. */
interface ListedFile extends Omit<FileList, "files"> {
  readonly skill: DisclosedSkill;
  readonly file: SkillFile;
}

async function findFile({ params, query, principal }: Call<"readFile">, context: RunningContext) {
  const { revision: wanted, ...viewAs } = query;
  const skill = await getDisclosedSkill(params.id, { principal, viewAs }, context);
  const path = normalizeRelative(params.path, context.registry.limits);
  const { files, treeHash, revision } = await readFileList(skill, wanted, context);
  const file = files.find((each) => each.path === path);
  if (file === undefined)
    throw new SkillError("PATH_NOT_FOUND", "The skill has no such file.", {
      hint: "GET /v1/skills/{id}/files lists the files.",
    });
  const { entry, isVisible } = skill.access;
  // The view version covers neither edits of files in folders nor revisions that are not current.
  const isCacheable = skill.held !== undefined && isVisible && revision === entry.revision;
  return { data: null, extra: { skill, file, treeHash, revision }, isCacheable };
}
