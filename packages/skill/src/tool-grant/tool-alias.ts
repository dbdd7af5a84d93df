/**
 * The host tools that a name in `allowed-tools` means: each name with equivalent tools, and the input fields of the
 * command, path or address.
 */
export type ToolAliases = Readonly<Record<string, readonly ToolAlias[]>>;

export interface ToolAlias {
  readonly tool: string;
  /** Fields that a specifier applies to. Each present field must match, and one must be present. */
  readonly fields?: readonly string[];
  /** Only calls with one of these field values, for tools with several functions. */
  readonly when?: { readonly field: string; readonly values: readonly string[] };
  /** Fields that do not affect the command, file or address. With any other field, a specifier does not match. */
  readonly harmless?: readonly string[];
  /** Fields with a pattern below the path, which must not leave it. */
  readonly inner?: readonly string[];
}

/** The interpretation of the specifier in parentheses. */
export type SpecifierKind = "command" | "path" | "domain" | "word";

export const specifierKinds: ReadonlyMap<string, SpecifierKind> = new Map<string, SpecifierKind>([
  ["Bash", "command"],
  ["Read", "path"],
  ["Write", "path"],
  ["Edit", "path"],
  ["Glob", "path"],
  ["Grep", "path"],
  ["LS", "path"],
  ["WebFetch", "domain"],
  ["Skill", "word"],
  ["Task", "word"],
]);

/**
 * Common extra fields. A working folder or a variable is not among them, because it changes the meaning of a word.
 */
const ASIDE = words("description explanation timeout timeout_ms");

const BESIDE_COMMAND = [...ASIDE, ...words("requires_approval run_in_background is_background")];

/** Text to write, and the selected part of a file. */
const BESIDE_PATH = [
  ...ASIDE,
  ...words("content contents file_text text new_str old_str new_string old_string new_source insert_text"),
  ...words("insert_line code_edit instructions edits oldText newText old_text new_text replace_all"),
  ...words("expected_replacements allow_multiple dry_run dryRun append overwrite encoding"),
  ...words("offset limit start_line end_line startLine endLine line lines view_range head tail pages"),
  ...words("start_line_one_indexed end_line_one_indexed_inclusive should_read_entire_file"),
  ...words("max_lines max_bytes max_chars max_results max_count cell_id cell_number cell_type edit_mode"),
  ...words("recursive depth max_depth sort sort_by sortBy show_hidden include_hidden case_sensitive"),
  ...words("respect_git_ignore respect_gitignore ignore exclude exclude_pattern excludePatterns"),
];

/** The search pattern and its display options. */
const BESIDE_SEARCH = [
  ...BESIDE_PATH,
  ...words(
    "pattern query regex is_regexp isRegexp type output_mode multiline head_limit context -A -B -C -n -i",
  ),
  ...words("case_insensitive ignore_case fixed_strings"),
];

/** Headers, proxies and bodies are excluded, because they may change the address. */
const BESIDE_URL = [
  ...ASIDE,
  ...words("prompt question format output_format raw text_only max_length maxLength max_chars max_tokens"),
  ...words("start_index offset limit"),
];

/** The tool names of well-known hosts. */
export const defaultAliases: ToolAliases = {
  Bash: tools(
    "Bash bash shell local_shell execute_command run_command run_shell_command run_terminal_cmd exec",
    { fields: ["command", "cmd"], harmless: BESIDE_COMMAND },
  ),
  Read: [
    ...tools(
      "Read read_file view_file open_file cat_file read_text_file read_multiple_files NotebookRead",
      paths(),
    ),
    ...tools("str_replace_based_edit_tool str_replace_editor", { ...paths(), when: command("view") }),
  ],
  Write: [
    ...tools("Write write_file write_to_file create_file save_file", paths()),
    ...tools("str_replace_based_edit_tool str_replace_editor", { ...paths(), when: command("create") }),
  ],
  Edit: [
    ...tools("Edit MultiEdit NotebookEdit edit_file edit replace str_replace", paths()),
    // In other tools a `diff` may name its own files.
    ...tools("replace_in_file", { ...paths(), harmless: [...BESIDE_PATH, "diff"] }),
    ...tools("str_replace_based_edit_tool str_replace_editor", {
      ...paths(),
      when: command("str_replace", "insert", "undo_edit"),
    }),
  ],
  Glob: tools("Glob glob find_files file_search", { ...paths(), inner: ["pattern", "glob", "query"] }),
  Grep: tools("Grep grep search_files grep_search search_file_content", {
    ...paths(BESIDE_SEARCH),
    inner: ["glob", "include", "file_pattern", "include_pattern", "includePattern"],
  }),
  LS: tools("LS ls list_dir list_directory list_files", paths()),
  WebFetch: tools("WebFetch web_fetch fetch fetch_url http_get browse", {
    fields: ["url", "uri"],
    harmless: BESIDE_URL,
  }),
  WebSearch: tools("WebSearch web_search search_web google_web_search", {}),
  TodoWrite: tools("TodoWrite todo_write update_plan write_todos", {}),
  Task: tools("Task Agent task dispatch_agent", { fields: ["subagent_type"] }),
  Skill: tools("Skill skill", { fields: ["skill", "skill_id", "name"] }),
};

/**
 * The family of a name. A pattern that names a tool in several families, such as an editor that also views, means
 * only that tool; its family is undefined.
 */
export function familyOf(name: string, aliases: ToolAliases): string | undefined {
  if (Object.hasOwn(aliases, name)) return name;
  const families = Object.keys(aliases).filter((family) =>
    aliases[family]?.some(({ tool }) => tool === name),
  );
  return families.length === 1 ? families[0] : undefined;
}

function tools(names: string, rest: Omit<ToolAlias, "tool">): readonly ToolAlias[] {
  return names.split(" ").map((tool) => ({ tool, ...rest }));
}

function paths(harmless: readonly string[] = BESIDE_PATH): Pick<ToolAlias, "fields" | "harmless"> {
  const fields = words("path file_path filePath absolute_path target_file notebook_path paths");
  return { fields, harmless };
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

function command(...values: readonly string[]): {
  readonly field: string;
  readonly values: readonly string[];
} {
  return { field: "command", values };
}
