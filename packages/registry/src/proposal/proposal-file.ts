import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill, textOf } from "@skillhold/skill";
import { currentGeneration, type Proposal, type ProposalEvidence } from "../record/proposal.ts";
import type { TreeDiff } from "../release/diff.ts";

/** A proposal as a Markdown file for people. The store is authoritative. */
export function formatProposal(proposal: Proposal, diff: TreeDiff): string {
  const { id, skill, kind, state, author, justification, evidence, createdAt, updatedAt } = proposal;
  const { base, candidate, widened = [], verdict } = currentGeneration(proposal);
  const by = author.agent === undefined ? author.user : `${author.agent} (${author.user})`;
  const fields = {
    ...{ id, skill, kind, state },
    ...(base === undefined ? {} : { base }),
    ...{ candidate, author: by, at: createdAt, updated: updatedAt },
    ...(verdict === undefined ? {} : { guard: verdict }),
  };
  return [
    "---",
    ...Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    "---",
    "",
    `# Proposal for ${skill}`,
    "",
    "## Diff",
    "",
    fence(
      diff.files.map(({ path, text, note }) => text ?? `# ${path}: ${note ?? "mode"}\n`).join(""),
      "diff",
    ),
    "",
    "## Justification",
    "",
    escapeHeadings(justification),
    ...(widened.length === 0 ? [] : ["", "## Added capabilities", "", ...widened.map((each) => `- ${each}`)]),
    ...(evidence.length === 0 ? [] : ["", "## Evidence", "", ...evidence.flatMap(formatEvidence)]),
    "",
  ].join("\n");
}

/** A line of text that looks like a section heading would end the section. */
function escapeHeadings(text: string): string {
  return text.replaceAll(/^(#{1,2} )/gm, "\\$1");
}

function formatEvidence(evidence: ProposalEvidence): readonly string[] {
  if (evidence.kind !== "run") return [`- ${evidence.kind}: ${oneLine(evidence.value)}`];
  const { run, script, exitCode, outcome, stdout, stderr } = evidence;
  return [
    `- run ${run}: ${oneLine(script)} ended with ${outcome}, exit code ${exitCode}`,
    ...(stdout === "" ? [] : ["", fence(stdout, "text")]),
    ...(stderr === "" ? [] : ["", fence(stderr, "text")]),
    "",
  ];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** A fence that is longer than any in the text. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text.endsWith("\n") || text === "" ? text : `${text}\n`}${ticks}`;
}

/** The parts of a proposal file; undefined for those that it does not have. */
export interface ProposalFile {
  readonly id: string | undefined;
  readonly skill: string | undefined;
  readonly base: string | undefined;
  readonly diff: string | undefined;
  readonly justification: string;
  readonly evidence: readonly string[];
}

/** Reads a proposal file. Never throws. */
export function parseProposal(text: string, limits: Limits): ProposalFile {
  const { frontmatter, body } = parseSkill(new TextEncoder().encode(text), limits);
  const sections = readSections(body);
  return {
    id: textOf(frontmatter["id"]),
    skill: textOf(frontmatter["skill"]) ?? textOf(frontmatter["skill_id"]),
    base: textOf(frontmatter["base"]),
    diff: readDiff(sections.get("diff")),
    justification: (sections.get("justification") ?? "").replaceAll(/^\\(#)/gm, "$1").trim(),
    evidence: readItems(sections.get("evidence") ?? ""),
  };
}

/** The text below each `##` heading, by its lowercase name. A heading in a fence is text. */
function readSections(body: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  let open: string | undefined;
  for (const line of body.split("\n")) {
    const [ticks] = /^`{3,}/.exec(line) ?? [];
    if (open === undefined && ticks !== undefined) open = ticks;
    else if (open !== undefined && line.trim() === open) open = undefined;
    const heading = open === undefined ? /^##?\s+(.+?)\s*$/.exec(line)?.[1] : undefined;
    if (heading === undefined) lines.push(line);
    else {
      lines = [];
      sections.set(heading.toLowerCase(), lines);
    }
  }
  return new Map([...sections].map(([name, text]) => [name, text.join("\n")]));
}

/** The content of the first fence, or the section itself. */
function readDiff(section: string | undefined): string | undefined {
  if (section === undefined) return undefined;
  const fenced = /^(`{3,})[^\n]*\n([\s\S]*?)^\1[ \t]*$/m.exec(section)?.[2];
  const text = fenced ?? `${section.trim()}\n`;
  return text.trim() === "" ? undefined : text;
}

function readItems(section: string): readonly string[] {
  const items = section.split("\n").flatMap((line) => /^[-*]\s+(.+)$/.exec(line)?.[1] ?? []);
  const rest = section.trim();
  return items.length > 0 || rest === "" ? items : [rest];
}
