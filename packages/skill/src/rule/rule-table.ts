import type { Severity } from "@skillhold/protocol";

/**
 * strict: the specification. publish: accepted by a registry. lenient: loadable. mcp: servable under the MCP skills
 * extension. molecule: Molecule's audit. authoring: the limits of a well-made skill.
 */
export const profiles = ["strict", "publish", "lenient", "mcp", "molecule", "authoring"] as const;
export type Profile = (typeof profiles)[number];

/** The severity in each profile, in the order of `profiles`: error, warning, info, or not reported. */
type Grades = readonly [Grade, Grade, Grade, Grade, Grade, Grade];
type Grade = "E" | "W" | "i" | "-";

export interface Rule {
  readonly grades: Grades;
  /** The general fix. */
  readonly fix: string;
}

/** Every rule of the product. The parser and the files in `check/` report them. */
export const ruleTable = {
  // The file                      strict publish lenient mcp molecule authoring
  FOLDER_MISSING: rule(["E", "E", "E", "E", "E", "E"], "Check the spelling of the path."),
  NOT_A_FOLDER: rule(["E", "E", "E", "E", "E", "E"], "Pass the folder of a skill, or its SKILL.md."),
  SKILL_FILE_MISSING: rule(["E", "E", "E", "E", "E", "E"], "Add a SKILL.md file to the folder."),
  SKILL_FILE_NOT_FILE: rule(["E", "E", "E", "E", "E", "E"], "Replace it with a regular file named SKILL.md."),
  SKILL_FILE_LINK: rule(["E", "E", "E", "E", "E", "E"], "Replace the link with its target file."),
  SKILL_FILE_TOO_LARGE: rule(["E", "E", "E", "E", "E", "E"], "Move detail into files below references/."),
  SKILL_FILE_UNREADABLE: rule(["E", "E", "E", "E", "E", "E"], "Give yourself permission to read the file."),
  SKILL_FILE_CASE: rule(["W", "W", "W", "E", "W", "W"], "Rename the file to SKILL.md."),
  SKILL_FILE_NAME: rule(["E", "W", "W", "E", "W", "W"], "Rename the file to SKILL.md."),
  TOOLS_ONLY: rule(["E", "W", "W", "E", "W", "E"], "Add a SKILL.md that says when and how to use the tools."),
  NOT_UTF8: rule(["E", "E", "W", "E", "E", "E"], "Save the file as UTF-8."),
  BOM: rule(["W", "W", "-", "W", "W", "W"], "Save the file as UTF-8 without a byte-order mark."),
  CRLF: rule(["W", "i", "-", "i", "i", "W"], "Save the file with LF line endings."),
  LONE_CR: rule(["W", "W", "W", "W", "W", "W"], "Save the file with LF line endings."),
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
  FRONTMATTER_NOT_MAPPING: rule(
    ["E", "E", "E", "E", "E", "E"],
    "Write fields as `name: value`, one per line.",
  ),
  YAML_INVALID: rule(["E", "E", "E", "E", "E", "E"], "Put the value in quotes, or correct the YAML."),
  YAML_REPAIRED: rule(
    ["E", "E", "W", "E", "E", "E"],
    "Run `skillhold validate --fix` to write the repaired frontmatter.",
  ),
  YAML_TAG: rule(["E", "E", "W", "E", "W", "E"], "Remove the tag."),
  DUPLICATE_KEY: rule(["E", "E", "E", "E", "E", "E"], "Keep one of the two."),
  ALIAS_BOMB: rule(["E", "E", "E", "E", "E", "E"], "Write the values out instead of using aliases."),

  // The fields of the specification
  NAME_MISSING: rule(["E", "E", "W", "E", "E", "E"], "Add `name:` with the folder name."),
  NAME_NOT_STRING: rule(["E", "E", "W", "E", "E", "E"], "Put the name in quotes."),
  NAME_EMPTY: rule(["E", "E", "W", "E", "E", "E"], "Set the name to the folder name."),
  NAME_TOO_LONG: rule(["E", "E", "W", "E", "W", "E"], "Choose a shorter name."),
  NAME_UPPERCASE: rule(["E", "i", "W", "E", "E", "E"], "Use lowercase letters."),
  NAME_BAD_CHARS: rule(["E", "i", "W", "E", "E", "E"], "Use only letters, digits and hyphens."),
  NAME_HYPHEN_EDGE: rule(["E", "i", "W", "E", "W", "E"], "Remove the hyphen at the start or end."),
  NAME_DOUBLE_HYPHEN: rule(["E", "i", "W", "E", "W", "E"], "Use single hyphens."),
  NAME_NOT_ASCII: rule(["-", "-", "-", "E", "E", "-"], "Use only the letters a-z, digits and hyphens."),
  NAME_DIR_MISMATCH: rule(
    ["E", "i", "W", "W", "W", "E"],
    "Make the folder name and the field `name` the same.",
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
  LICENSE_NOT_STRING: rule(["W", "W", "i", "W", "i", "W"], "Write the license as one line of text."),
  METADATA_NOT_STRING_MAP: rule(
    ["W", "i", "-", "E", "-", "W"],
    "Put each value below metadata in quotes; nested data is not portable.",
  ),
  ALLOWED_TOOLS_NO_LIMIT: rule(
    ["W", "W", "i", "W", "W", "W"],
    "Name the subcommand or the script as well, such as `Bash(git log:*)` or `Bash(python3 scripts/a.py:*)`.",
  ),
  ALLOWED_TOOLS_NOT_STRING: rule(
    ["W", "i", "-", "i", "i", "W"],
    "Write the tools as one line, separated by spaces.",
  ),
  UNKNOWN_FIELDS: rule(["E", "i", "-", "-", "-", "i"], "Move the fields below `metadata:`, or remove them."),
  UNRECOGNISED_FIELDS: rule(
    ["-", "-", "W", "-", "-", "-"],
    "Check the spelling of the fields, or remove them.",
  ),
  MCP_YAML_SUBSET: rule(["-", "-", "-", "W", "-", "-"], "Write the value on one line, in plain YAML."),

  // Fields that Skillhold and related products read beyond the specification
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
  BUNDLE_UNREADABLE: rule(["E", "E", "W", "E", "W", "E"], "Fix the file in the message."),
  STRAY_REFERENCE: rule(
    ["W", "W", "W", "W", "W", "W"],
    "Refer to shared helpers by their path inside the skill.",
  ),
  FILE_LEFT_OUT: rule(
    ["W", "W", "W", "W", "W", "W"],
    "Replace a link with its target, and rename files with unsafe names.",
  ),
  MCP_TOO_LARGE: rule(["-", "-", "-", "E", "-", "-"], "Split the skill, or remove files it does not need."),
} as const satisfies Record<string, Rule>;

export type RuleCode = keyof typeof ruleTable;

const severities = { E: "error", W: "warning", i: "info", "-": undefined } as const satisfies Record<
  Grade,
  Severity | undefined
>;

/** The severity of a finding in a profile; undefined when the profile does not report it. */
export function severityOf(code: RuleCode, profile: Profile): Severity | undefined {
  return severities[ruleTable[code].grades[profiles.indexOf(profile)] ?? "-"];
}

function rule(grades: Grades, fix: string): Rule {
  return { grades, fix };
}
