import { type Requirement, readRequirement } from "./requirement.ts";

/** Parses TOML into plain data, and throws on invalid text. */
export type ParseToml = (text: string) => unknown;

/** The dependencies of a Python project or of a script's inline metadata. */
export interface ProjectReading {
  readonly requirements: readonly Requirement[];
  /** Entries that are not packages in an index. */
  readonly others: readonly string[];
}

/** Reads `[project]`, dependency groups and Poetry's tables. Returns undefined when the text is not TOML. */
export function readPyproject(text: string, parseToml: ParseToml): ProjectReading | undefined {
  const root = parse(text, parseToml);
  if (root === undefined) return undefined;
  const project = tableOf(root["project"]);
  const poetry = tableOf(tableOf(root["tool"])["poetry"]);
  const own = project["name"] ?? poetry["name"];
  const extras = [tableOf(project["optional-dependencies"]), tableOf(root["dependency-groups"])];
  const readings = [
    fromList(project["dependencies"], false),
    ...extras.flatMap((table) => Object.values(table).map((list) => fromList(list, true))),
    fromPoetry(tableOf(poetry["dependencies"]), false),
    fromPoetry(tableOf(poetry["dev-dependencies"]), true),
    ...Object.values(tableOf(poetry["group"])).map((group) =>
      fromPoetry(tableOf(tableOf(group)["dependencies"]), true),
    ),
  ];
  return {
    // Extras of a project refer to each other through the project's own name.
    requirements: readings.flatMap((reading) => reading.requirements).filter(({ name }) => name !== own),
    others: readings.flatMap((reading) => reading.others),
  };
}

/** Reads the `# /// script` block of PEP 723; undefined when it is absent or not TOML. */
export function readInlineMetadata(text: string, parseToml: ParseToml): ProjectReading | undefined {
  const block = inlineBlock(text);
  const root = block === undefined ? undefined : parse(block, parseToml);
  return root === undefined ? undefined : fromList(root["dependencies"], false);
}

/** The text of the block without comment markers. */
export function inlineBlock(text: string): string | undefined {
  if (!text.includes("# /// script")) return undefined;
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => /^# \/\/\/ script\s*$/.test(line));
  if (start === -1) return undefined;
  const rest = lines.slice(start + 1);
  const commented = rest.findIndex((line) => !/^#(?: |$)/.test(line));
  const block = commented === -1 ? rest : rest.slice(0, commented);
  const end = block.findLastIndex((line) => /^# \/\/\/\s*$/.test(line));
  return end === -1
    ? undefined
    : block
        .slice(0, end)
        .map((line) => line.slice(2))
        .join("\n");
}

type Table = Readonly<Record<string, unknown>>;

function parse(text: string, parseToml: ParseToml): Table | undefined {
  try {
    return tableOf(parseToml(text));
  } catch {
    // Any failure of the parser means that the text is not TOML; the caller adds a note.
    return undefined;
  }
}

function tableOf(value: unknown): Table {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  // The keys of an object are strings.
  return isTable ? (value as Table) : {};
}

function fromList(value: unknown, optional: boolean): ProjectReading {
  const entries = Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  const requirements: Requirement[] = [];
  const others: string[] = [];
  for (const entry of entries) {
    const requirement = readRequirement(entry);
    if (requirement === undefined) others.push(entry);
    else requirements.push({ ...requirement, optional: optional || requirement.optional });
  }
  return { requirements, others };
}

/** Poetry's tables use package names as keys, including Python itself. */
function fromPoetry(table: Table, optional: boolean): ProjectReading {
  const names = Object.keys(table).filter((name) => name !== "python");
  const list = fromList(names, optional);
  const requirements = list.requirements.map((requirement) => {
    const value = tableOf(table[requirement.name]);
    const isConditional = value["optional"] === true || "markers" in value || "platform" in value;
    return { ...requirement, optional: requirement.optional || isConditional };
  });
  return { requirements, others: list.others };
}
