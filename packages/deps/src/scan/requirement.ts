import { isPipName } from "./package-name.ts";

/** A Python requirement (PEP 508). */
export interface Requirement {
  readonly name: string;
  /** True when a marker or an extra makes the requirement conditional. */
  readonly optional: boolean;
}

/** Returns undefined when the text is not a name with versions, for example a URL or a path. */
export function readRequirement(text: string): Requirement | undefined {
  const [, name = "", rest = ""] = /^\s*([A-Za-z0-9._-]+)\s*(.*)$/s.exec(text) ?? [];
  const after = rest.replace(/^\[[^\]]*\]\s*/, "");
  // A direct reference has a name, but installs from another place.
  if (!isPipName(name) || (after !== "" && !/^(?:[<>=!~;(^*,]|--hash)/.test(after))) return undefined;
  return { name, optional: after.includes(";") };
}

/** The content of a requirements file. */
export interface RequirementList {
  readonly requirements: readonly (Requirement & { readonly line: number })[];
  /** Included requirements files, as written. */
  readonly included: readonly string[];
  /** Lines that are not packages in an index. */
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

/** Joins lines at a backslash and removes comments, as pip does. Each has the number of its first line. */
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
