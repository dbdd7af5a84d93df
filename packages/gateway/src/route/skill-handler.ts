import { normalizeRelative } from "@skillhold/core/bundle";
import type { SkillFile } from "@skillhold/core/library";
import { sessionCatalogue } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { isPerson } from "../auth/principal.ts";
import { type Looking, viewerOf } from "../auth/viewer.ts";
import type { Question } from "../cache/answer-cache.ts";
import { digestOf } from "../digest.ts";
import { isFresh } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import { readRange } from "../http/range.ts";
import type { RunningContext } from "../running-context.ts";
import { fileReply } from "./file-answer.ts";
import { getKnown, type KnownSkill } from "./known-skill.ts";
import { readInTurn } from "./large-file.ts";
import { recordServed, type Served } from "./served.ts";
import { skillChangeHandlers } from "./skill-change-handler.ts";
import { type KnownFiles, readContent, readFiles, readKept } from "./skill-content.ts";
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

async function listSkills(call: Call<"listSkills">, context: RunningContext): Promise<Reply<"listSkills">> {
  return await context.answers.get(call, async (version) => {
    const page = await listPage(call, context);
    // Of what is deleted the version says nothing.
    return { data: { ...page, version }, note: undefined, isKept: call.query.view !== "deleted" };
  });
}

async function searchSkills(
  call: Call<"searchSkills">,
  context: RunningContext,
): Promise<Reply<"searchSkills">> {
  const { q, limit = context.registry.limits.searchHits, ...looking } = call.query;
  return await context.answers.get(call, async () => {
    const viewer = await viewerOf(call.principal, looking, context);
    const results = await context.library.search(viewer, q, { limit });
    const ids = results.map(({ entry }) => entry.id);
    const visible = (await context.library.survey(viewer, ids)).filter(({ isVisible }) => isVisible);
    const rows = new Map(
      rowsOf(visible, { principal: call.principal, viewer }, context).map((row) => [row.entry.id, row]),
    );
    const hits = results.flatMap(({ entry, hit, snippet: found }) => {
      const row = rows.get(entry.id);
      // What an agent is handed of a skill's text is on record, and a search is not.
      const isTold = isPerson(call.principal) || hit.fields.includes("description");
      return row === undefined ? [] : [{ row, hit, snippet: isTold ? found : "" }];
    });
    return { data: { hits }, note: undefined };
  });
}

async function getCatalogue(
  call: Call<"getCatalogue">,
  context: RunningContext,
): Promise<Reply<"getCatalogue">> {
  const { format, model, task, ...looking } = call.query;
  const { library, registry } = context;
  const request = {
    ...(format === undefined ? {} : { format }),
    ...(model === undefined ? {} : { model }),
    ...(task === undefined ? {} : { task }),
  };
  return await context.answers.get(call, async () => {
    const viewer = await viewerOf(call.principal, looking, context);
    const data = await sessionCatalogue(request, { limits: registry.limits }, viewer, library);
    return { data, note: undefined };
  });
}

async function getSkill(call: Call<"getSkill">, context: RunningContext): Promise<Reply<"getSkill">> {
  const { params, query, headers } = call;
  const { json, etag, note } = await context.answers.get<Served>(surely(call), () =>
    makeSkill(params.id, query, call, context),
  );
  if (isFresh(headers, etag)) return { unchanged: etag };
  await recordServed(call, [note], context);
  return { json, etag };
}

/** What is handed over is never older than the question. */
function surely({
  operation,
  principal,
  params,
  query,
  words,
  seen,
}: Call<"getSkill"> | Call<"readFile">): Question {
  return { operation, principal, params, query, words, seen, isSure: true };
}

async function makeSkill(
  key: string,
  looking: Looking,
  { principal }: Call<"getSkill">,
  context: RunningContext,
) {
  const known = await getKnown(key, { principal, looking }, context);
  const content = await readContent(known, context);
  const { body, frontmatter, treeHash, skillHash, files, entry } = content;
  const row = rowOf({ ...known.access, entry }, known.held, { principal, viewer: known.viewer });
  const file = files.find(({ digest }) => digest === skillHash);
  const note: Served = {
    skill: entry.id,
    hash: treeHash,
    revision: entry.revision,
    path: file?.path ?? "SKILL.md",
    digest: skillHash,
    bytes: file?.size ?? 0,
  };
  const data = { ...row, body, frontmatter, treeHash, skillHash, files };
  // A file in a folder is changed without a word; and who manages what is deleted is not in the version.
  const isKept = known.held !== undefined && known.access.reason !== "deleted";
  return { data, etag: etagOf(known, treeHash), note, isKept };
}

async function listFiles(call: Call<"listFiles">, context: RunningContext): Promise<Reply<"listFiles">> {
  const { revision: wanted, ...looking } = call.query;
  const known = await getKnown(call.params.id, { principal: call.principal, looking }, context);
  const { files, treeHash, revision } = await readFiles(known, wanted, context);
  return { data: { files, treeHash, revision }, etag: treeHash };
}

async function readFile(call: Call<"readFile">, context: RunningContext): Promise<Reply<"readFile">> {
  const { headers } = call;
  const { note } = await context.answers.get<KnownFile>(surely(call), () => findFile(call, context));
  const { known, file, treeHash, revision } = note;
  const { path, digest: etag } = file;
  if (isFresh(headers, etag)) return { unchanged: etag };
  const span = readRange(headers, file.size, etag);
  const bytes = await readInTurn(file, call, () => readKept(known, file, context), context);
  const reply = fileReply(path, bytes, etag, span);
  const sent = span === undefined ? bytes : bytes.subarray(span.start, span.end);
  const digest = span === undefined ? file.digest : digestOf(sent);
  const skill = known.access.entry.id;
  await recordServed(call, [{ skill, hash: treeHash, revision, path, digest, bytes: sent.length }], context);
  return reply;
}

/** A file that whoever asks may have. */
interface KnownFile extends Omit<KnownFiles, "files"> {
  readonly known: KnownSkill;
  readonly file: SkillFile;
}

async function findFile({ params, query, principal }: Call<"readFile">, context: RunningContext) {
  const { revision: wanted, ...looking } = query;
  const known = await getKnown(params.id, { principal, looking }, context);
  const path = normalizeRelative(params.path, context.registry.limits);
  const { files, treeHash, revision } = await readFiles(known, wanted, context);
  const file = files.find((each) => each.path === path);
  if (file === undefined)
    throw new SkillError("PATH_NOT_FOUND", "The skill has no such file.", {
      hint: "GET /v1/skills/{id}/files lists the files there are.",
    });
  const { entry, isVisible } = known.access;
  // What is in a folder changes without a word, and of revisions that do not count the version says nothing.
  const isKept = known.held !== undefined && isVisible && revision === entry.revision;
  return { data: null, note: { known, file, treeHash, revision }, isKept };
}
