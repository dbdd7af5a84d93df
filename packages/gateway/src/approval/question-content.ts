import { asResource, type Resource } from "@skillhold/core/library";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { QuestionContentView } from "@skillhold/protocol/http";
import type { Revision } from "@skillhold/registry/record";
import { diffRevisions, revisionFiles } from "@skillhold/registry/release";
import type { Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { Served } from "../http/served.ts";
import type { RunningContext } from "../running-context.ts";
import type { QuestionRequest } from "./approval-inbox.ts";

const CODE_BYTES = 64 * 1024;

export interface QuestionContent {
  readonly view: QuestionContentView;
  readonly served: readonly Served[];
}

/**
 * The code that a question is about, and its difference from the last approved content. Both are found by tree hash, so
 * an edit after the question changes neither.
 */
export async function readQuestionContent(
  question: QuestionRequest,
  principal: Principal,
  context: RunningContext,
): Promise<QuestionContent> {
  const { id, skill, treeHash } = question;
  const approved = await findApproved(question, context);
  const revisions = await storedRevisions(skill, context);
  const asked = revisions.find((each) => each.treeHash === treeHash);
  const before = revisions.find((each) => each.treeHash === approved?.hash);
  const code = await readCode(question, asked, principal, context);
  const { registry, diffs } = context;
  const isComparable = asked !== undefined && before !== undefined;
  const diff = isComparable
    ? await diffRevisions(asked.skill, before.revision, asked.revision, { ...registry, diffs })
    : undefined;
  const view = {
    question: id,
    treeHash,
    ...(code === undefined ? {} : { code: codeView(code) }),
    ...(approved === undefined
      ? {}
      : { approved: { treeHash: approved.hash, by: approved.by, at: approved.at } }),
    ...(diff === undefined ? {} : { changes: diff.files }),
  };
  const texts = (diff?.files ?? []).map(({ text = "" }) => text);
  const bytes = Buffer.byteLength(texts.join(""));
  const files = code === undefined ? [] : [servedCode(skill, code, asked?.revision)];
  const ends = [asked, before].flatMap((each) => (each === undefined || bytes === 0 ? [] : [each]));
  const trees = ends.map(({ treeHash: hash, revision }) => ({ skill, hash, revision, digest: hash, bytes }));
  return { view, served: [...files, ...trees] };
}

const PAGE = 100;
/** Older approvals are not searched. */
const MOST_PAGES = 20;

type GrantedEvent = Extract<SkillEvent, { readonly type: "approval.granted" }>;

/** The last approval of the same act and target of a skill. */
async function findApproved(
  { skill, act, target }: QuestionRequest,
  { registry: { store } }: RunningContext,
): Promise<GrantedEvent | undefined> {
  let before: number | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const types = ["approval.granted"];
    const rows = await store.listEvents({ types, skill, before, order: "newest", limit: PAGE });
    for (const { event } of rows)
      if (event.type === "approval.granted" && event.act === act && event.target === target) return event;
    before = rows.at(-1)?.seq;
    if (rows.length < PAGE) return undefined;
  }
  return undefined;
}

/** The revisions of a registry skill that have their bytes. */
async function storedRevisions(
  id: string,
  { registry: { store } }: RunningContext,
): Promise<readonly Revision[]> {
  const skill = await store.findSkill(id);
  const revisions = skill === undefined ? [] : await store.listRevisions(skill.uid);
  return revisions.filter(({ purgedAt }) => purgedAt === undefined);
}

/** The beginning of the script; undefined when the question has no script or its content is not available. */
async function readCode(
  question: QuestionRequest,
  asked: Revision | undefined,
  principal: Principal,
  context: RunningContext,
): Promise<Resource | undefined> {
  if (question.act !== "run_script") return undefined;
  if (asked === undefined) return await readFolderCode(question, principal, context);
  const { skill, revision, treeHash } = asked;
  const files = await revisionFiles(skill, revision, context.registry);
  const file = files.find(({ path }) => path === question.target);
  if (file === undefined) return undefined;
  const { digest, size, path } = file;
  const bytes = (await context.registry.store.blobs.get(digest)).subarray(0, CODE_BYTES);
  return asResource(path, 0, { bytes, size, digest, treeHash });
}

const missing: ReadonlySet<string> = new Set(["SKILL_NOT_FOUND", "PATH_NOT_FOUND"]);

/** A skill in a folder has only its current content, which counts only if it is the content of the question. */
async function readFolderCode(
  { skill, target, treeHash }: QuestionRequest,
  principal: Principal,
  context: RunningContext,
): Promise<Resource | undefined> {
  const viewer = await requestViewer(principal, {}, context);
  try {
    const part = await context.library.resource(viewer, skill, target, { length: CODE_BYTES });
    return part.treeHash === treeHash ? part : undefined;
  } catch (error) {
    if (error instanceof SkillError && missing.has(error.code)) return undefined;
    throw error;
  }
}

function codeView({ path, encoding, content, size, hasMore }: Resource): QuestionContentView["code"] {
  return { path, bytes: size, isCut: hasMore, ...(encoding === "utf-8" ? { text: content } : {}) };
}

function servedCode(skill: string, code: Resource, revision: number | undefined): Served {
  const { path, treeHash: hash, digest, length } = code;
  return { skill, hash, revision, path, digest, bytes: code.encoding === "utf-8" ? length : 0 };
}
