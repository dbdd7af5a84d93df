import type { Severity } from "@skillhold/protocol";

/**
 * strict: the specification. publish: what a registry takes. lenient: what loads. mcp: what can be served under
 * the MCP skills extension. molecule: Molecule's audit. authoring: the limits for a skill one is proud of.
 */
export const profiles = ["strict", "publish", "lenient", "mcp", "molecule", "authoring"] as const;
export type Profile = (typeof profiles)[number];

/** How grave a finding is in each profile, in the order of `profiles`: error, warning, info, or not said. */
type Grades = readonly [Grade, Grade, Grade, Grade, Grade, Grade];
type Grade = "E" | "W" | "i" | "-";

export interface Rule {
  readonly grades: Grades;
  /** What to change, in general. */
  readonly fix: string;
}

/** Every rule of the product. The checks that find them are in `check-*.ts` and in the parser. */
export const ruleTable = {
  // The file                      strict publish lenient mcp molecule authoring
  FOLDER_MISSING: rule(["E", "E", "E", "E", "E", "E"], "Check the spelling of the path."),
  NOT_A_FOLDER: rule(["E", "E", "E", "E", "E", "E"], "Name the folder of a skill, or its SKILL.md."),
  SKILL_FILE_MISSING: rule(["E", "E", "E", "E", "E", "E"], "Add a SKILL.md file to the folder."),
  SKILL_FILE_NOT_FILE: rule(["E", "E", "E", "E", "E", "E"], "Replace it by a regular file named SKILL.md."),
  SKILL_FILE_LINK: rule(["E", "E", "E", "E", "E", "E"], "Replace the link by the file it points to."),
  SKILL_FILE_TOO_LARGE: rule(["E", "E", "E", "E", "E", "E"], "Move detail into files below references/."),
  SKILL_FILE_UNREADABLE: rule(["E", "E", "E", "E", "E", "E"], "Give yourself permission to read the file."),
  SKILL_FILE_CASE: rule(["W", "W", "W", "E", "W", "W"], "Rename the file to SKILL.md."),
  TOOLS_ONLY: rule(["E", "E", "W", "E", "W", "E"], "Add a SKILL.md that says when and how to use the tools."),
  NOT_UTF8: rule(["E", "E", "W", "E", "E", "E"], "Save the file as UTF-8."),
  BOM: rule(["W", "W", "-", "W", "W", "W"], "Save the file as UTF-8 without a byte-order mark."),
  CRLF: rule(["W", "i", "-", "i", "i", "W"], "Save the file with LF line ends."),
  LONE_CR: rule(["W", "W", "W", "W", "W", "W"], "Save the file with LF line ends."),
  CONTROL_CHARACTER: rule(["E", "E", "W", "E", "E", "E"], "Delete the character."),

  // The frontmatter as YAML
  NO_FRONTMATTER: rule(
    ["E", "E", "E", "E", "E", "E"],
    "Start the file with a line of ---, the fields, and another line of ---.",
  ),
  FRONTMATTER_UNCLOSED: rule(["E", "E", "E", "E", "E", "E"], "Add a line of --- after the last field."),
  FRONTMATTER_TOO_LARGE: rule(
    ["E", "E", "E", "E", "E", "E"],
    "Keep the frontmatter short; long text belongs in the body.",
  ),
  FRONTMATTER_TOO_COMPLEX: rule(
    ["E", "E", "E", "E", "E", "E"],
    "Keep the frontmatter to a few plain fields.",
  ),
  FRONTMATTER_NOT_MAPPING: rule(["E", "E", "E", "E", "E", "E"], "Write fields as `name: value`, one a line."),
  YAML_INVALID: rule(["E", "E", "E", "E", "E", "E"], "Put the value in quotes, or correct the YAML."),
  YAML_REPAIRED: rule(
    ["E", "E", "W", "E", "E", "E"],
    "Run `skillhold validate --fix` to write the repaired frontmatter.",
  ),
  YAML_TAG: rule(["E", "E", "W", "E", "W", "E"], "Remove the tag."),
  DUPLICATE_KEY: rule(["E", "E", "E", "E", "E", "E"], "Keep one of the two."),
  ALIAS_BOMB: rule(["E", "E", "E", "E", "E", "E"], "Write the values out instead of using aliases."),

  // The fields of the specification
  NAME_MISSING: rule(["E", "E", "W", "E", "E", "E"], "Add `name:` with the name of the folder."),
  NAME_NOT_STRING: rule(["E", "E", "W", "E", "E", "E"], "Put the name in quotes."),
  NAME_EMPTY: rule(["E", "E", "W", "E", "E", "E"], "Set the name to that of the folder."),
  NAME_TOO_LONG: rule(["E", "E", "W", "E", "W", "E"], "Choose a shorter name."),
  NAME_UPPERCASE: rule(["E", "i", "W", "E", "E", "E"], "Use lower-case letters."),
  NAME_BAD_CHARS: rule(["E", "i", "W", "E", "E", "E"], "Use only letters, digits and hyphens."),
  NAME_HYPHEN_EDGE: rule(["E", "i", "W", "E", "W", "E"], "Remove the hyphen at the start or end."),
  NAME_DOUBLE_HYPHEN: rule(["E", "i", "W", "E", "W", "E"], "Use single hyphens."),
  NAME_NOT_ASCII: rule(["-", "-", "-", "E", "E", "-"], "Use only the letters a-z, digits and hyphens."),
  NAME_DIR_MISMATCH: rule(
    ["E", "i", "W", "W", "W", "E"],
    "Rename the folder or change the name, so that both are the same.",
  ),
  DESC_MISSING: rule(
    ["E", "E", "E", "E", "E", "E"],
    "Add `description:` saying what the skill does and when to use it.",
  ),
  DESC_NOT_STRING: rule(["E", "E", "E", "E", "E", "E"], "Put the description in quotes."),
  DESC_EMPTY: rule(["E", "E", "E", "E", "E", "E"], "Say what the skill does and when to use it."),
  DESC_TOO_LONG: rule(["E", "E", "W", "E", "W", "E"], "Shorten the description; detail belongs in the body."),
  COMPATIBILITY_NOT_STRING: rule(
    ["E", "E", "W", "E", "i", "E"],
    "Write the compatibility as one line of text.",
  ),
  COMPATIBILITY_EMPTY: rule(["E", "W", "i", "E", "i", "E"], "Remove the field or say what the skill needs."),
  COMPATIBILITY_TOO_LONG: rule(["E", "E", "W", "E", "i", "E"], "Shorten it; detail belongs in the body."),
  LICENSE_NOT_STRING: rule(["W", "W", "i", "W", "i", "W"], "Write the licence as one line of text."),
  METADATA_NOT_STRING_MAP: rule(
    ["W", "i", "-", "E", "-", "W"],
    "Put each value below metadata in quotes; nested data is not portable.",
  ),
  ALLOWED_TOOLS_NOT_STRING: rule(
    ["W", "i", "-", "i", "i", "W"],
    "Write the tools as one line, separated by spaces.",
  ),
  UNKNOWN_FIELDS: rule(["E", "i", "-", "-", "-", "i"], "Move the fields below `metadata:`, or remove them."),
  UNRECOGNISED_FIELDS: rule(
    ["-", "-", "W", "-", "-", "-"],
    "Check the spelling; nothing reads these fields.",
  ),
  MCP_YAML_SUBSET: rule(["-", "-", "-", "W", "-", "-"], "Write the value on one line, in plain YAML."),

  // What Skillhold and its relatives read beyond the specification
  ID_SLUGIFIED: rule(["-", "-", "W", "-", "-", "-"], "Rename the folder to the id."),
  ID_RESERVED: rule(["-", "E", "W", "-", "-", "W"], "Choose another name."),
  ID_UNDERIVABLE: rule(
    ["-", "E", "-", "-", "-", "-"],
    "Add `slug:` or pass --id with letters a-z, digits and hyphens.",
  ),
  VERSION_MISSING: rule(["-", "-", "-", "-", "E", "-"], "Add `version: 1.0.0`."),
  VERSION_NOT_SEMVER: rule(
    ["-", "W", "i", "-", "E", "W"],
    "Write the version as three numbers, such as 1.0.0.",
  ),
  RUNTIME_MALFORMED: rule(
    ["W", "W", "W", "W", "W", "W"],
    'Write `runtime:` as a name, or a list of names, or ["*"].',
  ),
  OPENCLAW_MALFORMED: rule(
    ["W", "W", "W", "W", "W", "W"],
    "Write the requirements as YAML or as valid JSON5.",
  ),
  LINKS_MALFORMED: rule(["W", "W", "W", "W", "W", "W"], "Write links.yaml as a list of `title` and `url`."),

  // Advice on size
  BODY_EMPTY: rule(["i", "W", "W", "i", "W", "W"], "Write the instructions below the frontmatter."),
  BODY_TOO_MANY_TOKENS: rule(["W", "W", "W", "W", "W", "W"], "Move detail into files below references/."),
  TOO_MANY_LINES: rule(["W", "W", "W", "W", "W", "-"], "Move detail into files below references/."),
  TOO_MANY_LINES_FOR_AUTHORING: rule(
    ["-", "-", "-", "-", "-", "W"],
    "Move detail into files below references/.",
  ),
  WRITTEN_FILE_TOO_LARGE: rule(["-", "E", "-", "-", "-", "E"], "Move detail into files below references/."),
  BUNDLE_TOO_LARGE: rule(["E", "E", "W", "E", "W", "E"], "Remove files that the skill does not need."),
  BUNDLE_UNREADABLE: rule(["E", "E", "W", "E", "W", "E"], "Correct the file that the message names."),
  STRAY_REFERENCE: rule(
    ["W", "W", "W", "W", "W", "W"],
    "Refer to shared helpers as they lie inside the skill.",
  ),
  FILE_LEFT_OUT: rule(
    ["W", "W", "W", "W", "W", "W"],
    "Replace a link by what it points to, and rename what cannot travel.",
  ),
  MCP_TOO_LARGE: rule(["-", "-", "-", "E", "-", "-"], "Split the skill, or remove files it does not need."),
} as const satisfies Record<string, Rule>;

export type RuleCode = keyof typeof ruleTable;

const severities = { E: "error", W: "warning", i: "info", "-": undefined } as const satisfies Record<
  Grade,
  Severity | undefined
>;

/** How grave a finding is under a profile; undefined when the profile says nothing about it. */
export function severityOf(code: RuleCode, profile: Profile): Severity | undefined {
  const row: Rule = ruleTable[code];
  return severities[row.grades[profiles.indexOf(profile)] ?? "-"];
}

function rule(grades: Grades, fix: string): Rule {
  return { grades, fix };
}
