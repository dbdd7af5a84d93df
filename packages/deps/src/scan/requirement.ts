import { isPipName } from "./package-name.ts";

/** One requirement of Python, as PEP 508 writes it. */
export interface Requirement {
  readonly name: string;
  /** Whether a marker or an extra makes it a matter of the machine. */
  readonly optional: boolean;
}

/** Undefined when the text is no name with versions: a URL, a path, something else. */
export function readRequirement(text: string): Requirement | undefined {
  const [, name = "", rest = ""] = /^\s*([A-Za-z0-9._-]+)\s*(.*)$/s.exec(text) ?? [];
  const after = rest.replace(/^\[[^\]]*\]\s*/, "");
  // A direct reference names what it installs, and installs what is elsewhere.
  if (!isPipName(name) || (after !== "" && !/^(?:[<>=!~;(^*,]|--hash)/.test(after))) return undefined;
  return { name, optional: after.includes(";") };
}

/** What a requirements file asks for. */
export interface RequirementList {
  readonly requirements: readonly (Requirement & { readonly line: number })[];
  /** Other files of requirements, as written. */
  readonly included: readonly string[];
  /** Lines that name no distribution of an index. */
  readonly others: readonly { readonly text: string; readonly line: number }[];
}

export function readRequirements(text: string): RequirementList {
  const requirements: (Requirement & { line: number })[] = [];
  const included: string[] = [];
  const others: { text: string; line: number }[] = [];
  for (const { text: entry, line } of logicalLines(text)) {
    const file = /^(?:-r|--requirement)[\s=]*(\S+)/.exec(entry)?.[1];
    if (file !== undefined) included.push(file);
    else if (/^(?:-e|--editable)\b/.test(entry)) others.push({ text: entry, line });
    else if (!entry.startsWith("-")) {
      const requirement = readRequirement(entry);
      if (requirement === undefined) others.push({ text: entry, line });
      else requirements.push({ ...requirement, line });
    }
  }
  return { requirements, included, others };
}

/** Lines as pip reads them: joined at a backslash, without comments, each with the number of its first. */
function logicalLines(text: string): readonly { readonly text: string; readonly line: number }[] {
  const lines: { text: string; line: number }[] = [];
  let parts: string[] = [];
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const isContinued = raw.endsWith("\\");
    parts.push(isContinued ? raw.slice(0, -1) : raw);
    if (isContinued) continue;
    const entry = withoutComment(parts.join(" ")).trim();
    if (entry !== "") lines.push({ text: entry, line: index + 2 - parts.length });
    parts = [];
  }
  return lines;
}

function withoutComment(line: string): string {
  if (line.startsWith("#")) return "";
  const at = line.search(/\s#/);
  return at === -1 ? line : line.slice(0, at);
}
