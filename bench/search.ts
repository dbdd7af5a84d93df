import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type SearchDocument, SearchIndex } from "@skillhold/core/search";
import { parseSkill, textList, textOf } from "@skillhold/skill";

const shared = resolve(import.meta.dirname, "../../shared");
const LABELS = ["should-trigger", "eval-prompt"] as const;
const DEPTH = 10;

/** Finds the skill for prompts their authors wrote, among the public skills, and says how often it comes first. */
export function benchSearch(): void {
  const documents = readDocuments();
  const queries = readQueries();
  if (documents.length === 0 || queries.length === 0) {
    console.log("search: ../shared/retrieval-dev is absent, nothing to compare with");
    return;
  }
  const index = SearchIndex.empty();
  for (const document of documents) index.upsert(document);
  const engines: readonly Engine[] = [
    { name: "search index", find: (query) => index.search(query, { limit: DEPTH }).map(({ id }) => id) },
    { name: "words in name and description", find: naiveSearch(documents) },
  ];
  for (const label of LABELS) {
    const asked = queries.filter((query) => query.label === label);
    for (const engine of engines) report(label, engine, asked);
  }
  reportNames(index, documents);
}

interface Engine {
  readonly name: string;
  readonly find: (query: string) => readonly string[];
}

interface Asked {
  readonly query: string;
  readonly doc_id: string;
  readonly label: string;
}

function report(label: string, { name, find }: Engine, queries: readonly Asked[]): void {
  const ranks = queries.map(({ query, doc_id }) => find(query).indexOf(doc_id));
  const found = ranks.filter((rank) => rank >= 0);
  const share = (sum: number) => ((100 * sum) / queries.length).toFixed(1);
  const gain = found.reduce((sum, rank) => sum + 1 / Math.log2(rank + 2), 0);
  console.log(
    `search: ${label} (${queries.length}), ${name}: Hit@1 ${share(ranks.filter((rank) => rank === 0).length)}, ` +
      `Recall@10 ${share(found.length)}, nDCG@10 ${share(gain)}`,
  );
}

/** Names as people type them; skills that share a name count as found with any of them. */
function reportNames(index: SearchIndex, documents: readonly SearchDocument[]): void {
  const named = documents.filter(({ name }) => /^[a-z0-9]+(-[a-z0-9]+)+$/.test(name));
  const ways: Readonly<Record<string, (name: string) => string>> = {
    "as written": (name) => name,
    spaced: (name) => name.replaceAll("-", " "),
    joined: (name) => name.replaceAll("-", ""),
    "one letter missing": (name) => name.slice(0, name.length >> 1) + name.slice((name.length >> 1) + 1),
    "two swapped": (name) => name.replace(/^(.{3})(.)(.)/, "$1$3$2"),
    "first 70 %": (name) => name.slice(0, Math.ceil(name.length * 0.7)),
  };
  const names = new Map(documents.map(({ id, name }) => [id, name]));
  const results = Object.entries(ways).map(([way, type]) => {
    const right = named.filter(({ name }) => names.get(index.search(type(name))[0]?.id ?? "") === name);
    return `${way} ${((100 * right.length) / named.length).toFixed(1)}`;
  });
  console.log(`search: names (${named.length}), Hit@1: ${results.join(", ")}`);
}

/** What a search box does without an index: counts the words of the query in name and description. */
function naiveSearch(documents: readonly SearchDocument[]): Engine["find"] {
  const texts = documents.map(({ id, name, description }) => ({
    id,
    text: `${name}\n${description}`.toLowerCase(),
  }));
  return (query) => {
    const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
    return texts
      .map(({ id, text }) => ({ id, score: words.filter((word) => text.includes(word)).length }))
      .sort((a, b) => b.score - a.score)
      .slice(0, DEPTH)
      .map(({ id }) => id);
  };
}

function readQueries(): readonly Asked[] {
  // The file's README gives these three fields for every line.
  return readLines("retrieval-dev/queries.jsonl").map((line) => JSON.parse(line) as Asked);
}

export function readDocuments(): readonly SearchDocument[] {
  const wanted = readLines("retrieval-dev/corpus.jsonl").map((line) => {
    const { doc_id, dir } = JSON.parse(line) as { readonly doc_id: string; readonly dir: string };
    return readDocument(doc_id, join(shared, "retrieval-dev", dir, "SKILL.md"));
  });
  const root = join(shared, "corpus/text");
  const names = isThere(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : [];
  const others = names
    .filter((name) => /(^|\/)skill\.md$/i.test(name))
    .map((name) => readDocument(name, join(root, name)));
  return [...wanted, ...others];
}

function readDocument(id: string, path: string): SearchDocument {
  const { frontmatter, body } = parseSkill(readFileSync(path));
  return {
    id,
    key: id,
    name: textOf(frontmatter["name"]) ?? "",
    description: textOf(frontmatter["description"]) ?? "",
    tags: textList(frontmatter["tags"]) ?? [],
    body,
  };
}

function readLines(path: string): readonly string[] {
  const file = join(shared, path);
  return isThere(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
