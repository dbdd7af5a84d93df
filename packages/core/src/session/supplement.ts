import { type Limits, SkillError } from "@skillhold/protocol";
import {
  declaredExamples,
  type Example,
  estimateTokens,
  type ReferenceLink,
  readLinks,
  selectExamples,
} from "@skillhold/skill";
import type { Resource, SkillContent, SkillFile } from "../library/library.ts";

/** The examples and links that fit in the token budget. */
export interface Supplement {
  readonly examples: readonly Example[];
  readonly examplesLeft: number;
  readonly links: readonly ReferenceLink[];
  readonly linksLeft: number;
  readonly warnings: readonly string[];
}

/** The most example files that one activation opens. */
const MOST_FILES = 50;
/** An upper bound: at most three bytes a character and four characters a token. */
const BYTES_PER_TOKEN = 12;

/** Opens a file of the skill's bundle. */
export type OpenFile = (path: string) => Promise<Resource>;

export async function readSupplement(
  content: Pick<SkillContent, "files" | "frontmatter">,
  limits: Limits,
  open: OpenFile,
): Promise<Supplement> {
  const budget = limits.exampleTokens;
  const files = content.files.filter(({ role }) => role === "example");
  const small = files.filter(({ size }) => size <= budget * BYTES_PER_TOKEN).slice(0, MOST_FILES);
  const warnings: string[] = [];
  const texts: Example[] = [];
  for (const file of small) {
    const text = await readText(file, open, warnings);
    if (text !== undefined) texts.push({ file: file.path, text });
  }
  const selection = selectExamples([...declaredExamples(content.frontmatter), ...texts], budget);
  const spent = selection.examples.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  const links = await readLinkFile(content.files, limits, open, warnings);
  const chosen = selectLinks(links, budget - spent);
  return {
    examples: selection.examples,
    examplesLeft: selection.left + files.length - small.length,
    links: chosen,
    linksLeft: links.length - chosen.length,
    warnings,
  };
}

async function readLinkFile(
  files: readonly SkillFile[],
  limits: Limits,
  open: OpenFile,
  warnings: string[],
): Promise<readonly ReferenceLink[]> {
  const file = files.find(({ role }) => role === "links");
  if (file === undefined || limits.exampleTokens === 0) return [];
  if (file.size > limits.frontmatterBytes) {
    warnings.push(`${file.path} was omitted because it has more than ${limits.frontmatterBytes} bytes.`);
    return [];
  }
  const text = await readText(file, open, warnings);
  if (text === undefined) return [];
  const { links, findings } = readLinks(text, limits);
  warnings.push(...findings.map(({ message }) => message));
  return links;
}

/** The text of a bundled file. Undefined, with a warning, when it changed or cannot be read. */
async function readText(file: SkillFile, open: OpenFile, warnings: string[]): Promise<string | undefined> {
  try {
    const resource = await open(file.path);
    if (resource.digest !== file.digest) {
      warnings.push(`${file.path} was omitted because it changed during the read.`);
      return undefined;
    }
    return resource.encoding === "utf-8" && !resource.hasMore ? resource.content : undefined;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    warnings.push(`${file.path} was omitted: ${error.message}`);
    return undefined;
  }
}

function selectLinks(links: readonly ReferenceLink[], budget: number): readonly ReferenceLink[] {
  let rest = budget;
  return links.filter(({ title, url }) => {
    const cost = estimateTokens(title) + estimateTokens(url) + 1;
    if (cost > rest) return false;
    rest -= cost;
    return true;
  });
}
