import { existsSync } from "node:fs";
import { shortPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { createTwoFilesPatch } from "diff";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import {
  type ConfigScope,
  getClient,
  type McpClient,
  renewEntry,
  type Server,
} from "../../mcp-client/client-table.ts";
import { ConfigFile } from "../../mcp-client/config-file.ts";
import type { ConfigEntry, ConfigText } from "../../mcp-client/config-text.ts";
import { serverFor } from "../../mcp-client/launch.ts";
import { textOption } from "../../option.ts";
import { libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

/** What is to be done to which file. */
interface Plan {
  readonly client: McpClient;
  readonly scope: ConfigScope;
  readonly file: ConfigFile;
  readonly config: ConfigText;
  /** The way to the entry in the file. */
  readonly way: readonly string[];
  readonly isDry: boolean;
}

interface Outcome {
  readonly action: "written" | "unchanged" | "restored" | "removed" | "deleted";
  readonly before: string | undefined;
  /** Undefined when the file goes. */
  readonly after: string | undefined;
  readonly apply: () => void;
}

const optionSpecs = [
  {
    flags: "--client <name>",
    summary: "claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf, zed or opencode",
  },
  {
    flags: "--scope <scope>",
    summary: "for you in all projects, or for the project in this folder",
    choices: ["user", "project"],
    default: "user",
  },
  { flags: "--name <name>", summary: "what the client calls it", default: "skillhold" },
  { flags: "--gateway <url>", summary: "use the skills of the gateway at this address" },
  {
    flags: "--token-env <variable>",
    summary: "the variable that holds the token for the gateway; by default SKILLHOLD_TOKEN",
  },
  { flags: "--dry-run", summary: "print what would change, and change nothing" },
  { flags: "--undo", summary: "take it back" },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: [
    "mcp install --client claude-code",
    "mcp install --client cursor --scope project --dry-run",
    "mcp install --client codex --undo",
  ],
  run,
});

/** Sets an MCP client up to use the skills, or takes that back. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const plan = await makePlan(input);
  const server = serverFor(plan.client, plan.scope, options, io.cwd);
  const entry = entryFor(plan.client, server);
  const outcome = options["undo"] === true ? undo(plan, io) : install(plan, entry, io);
  if (!plan.isDry) outcome.apply();
  report(io, plan, outcome, options["undo"] === true ? undefined : noteFor(plan.client, server));
  return 0;
}

async function makePlan({ io, options }: CommandInput): Promise<Plan> {
  const client = getClient(textOption(options, "client"));
  // The command table allows only these two.
  const scope = options["scope"] as ConfigScope;
  const home = io.env["HOME"] || io.env["USERPROFILE"];
  if (!home)
    throw new SkillError("CONFIG_INVALID", "There is no home folder to look for settings in.", {
      hint: "Set HOME to it.",
    });
  const files = client.files(scope, { home, cwd: io.cwd, platform: process.platform, env: io.env });
  const path = files.find((each) => existsSync(each)) ?? files[0];
  if (path === undefined)
    throw new SkillError("USAGE", `${client.title} has no settings for a project.`, {
      hint: "Leave --scope out to set it up for all of them.",
    });
  const config =
    client.format === "toml"
      ? (await import("../../mcp-client/toml-config.ts")).tomlConfig
      : (await import("../../mcp-client/json-config.ts")).jsonConfig;
  const file = new ConfigFile(path, scope === "user" ? 0o600 : 0o644);
  const way = [...serversIn(client, file, config), readName(textOption(options, "name") ?? "skillhold")];
  return { client, scope, file, config, way, isDry: options["dryRun"] === true };
}

/** The way to the servers, as this file has it: a client may have had another one before. */
function serversIn({ servers, older }: McpClient, file: ConfigFile, config: ConfigText): readonly string[] {
  const text = older === undefined ? undefined : file.read();
  if (older === undefined || text === undefined) return servers;
  try {
    return older.isIn(config.find(text, [])) ? older.servers : servers;
  } catch (error) {
    // What cannot be read is told when it is to be changed.
    if (error instanceof SkillError) return servers;
    throw error;
  }
}

function readName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name)) return name;
  throw new SkillError("USAGE", `${JSON.stringify(name)} cannot be the name of a server.`, {
    hint: "Use letters, digits, hyphens and underscores.",
  });
}

function entryFor(client: McpClient, server: Server): ConfigEntry {
  const entry = client.entry(server);
  if (entry !== undefined) return entry;
  throw new SkillError("USAGE", `${client.title} takes no servers by address from its settings file.`, {
    hint: "Add the gateway in its own settings, among the connectors, or leave --gateway out.",
  });
}

/** What is left to do: a token is in no file. */
function noteFor({ title, note }: McpClient, server: Server): string | undefined {
  if (note !== undefined || !("url" in server)) return note?.(server);
  const { tokenVariable: name } = server;
  return `${title} takes the token from the variable ${name}: set it where ${title} is started.`;
}

function install({ client, file, config, way }: Plan, entry: ConfigEntry, io: Io): Outcome {
  const before = file.read();
  const after = untouched(file, io, { way, entry, config }, () =>
    config.set(before ?? "", way, renewEntry(client, config.find(before ?? "", way), entry)),
  );
  if (after === before) return { action: "unchanged", before, after, apply: () => {} };
  const apply = () => {
    // One that is there already is of the time before the first install, as long as our entry is in the file.
    const isFirst = before !== undefined && config.find(before, way) === undefined;
    if (before !== undefined && (isFirst || file.readBackup() === undefined)) file.keep(before);
    file.write(after);
  };
  return { action: "written", before, after, apply };
}

/** Puts the backup back where nothing else was changed since, and else takes out the entry alone. */
function undo(plan: Plan, io: Io): Outcome {
  const { file, config, way, client } = plan;
  const before = file.read();
  const entry =
    before === undefined ? undefined : untouched(file, io, undefined, () => config.find(before, way));
  if (before === undefined || entry === undefined)
    throw new SkillError("PATH_NOT_FOUND", `There is nothing to take back in ${shortPath(io, file.path)}.`, {
      hint: `\`skillhold mcp install --client ${client.id}\` sets it up; --name says under which name.`,
    });
  // What was found there was written by `set`, which takes tables alone.
  const backup = judgeBackup(plan, before, entry as ConfigEntry);
  const isOurs = "original" in backup;
  const after = isOurs ? backup.original : untouched(file, io, undefined, () => config.remove(before, way));
  const apply = () => {
    if (after === undefined) file.remove();
    else file.write(after);
    if (isOurs || backup.isReadable) file.removeBackup();
  };
  const action = isOurs ? "restored" : after === undefined ? "deleted" : "removed";
  return { action, before, after, apply };
}

/** What lies there may be anything by now: what cannot be read is not ours to put back, nor to remove. */
function judgeBackup(
  { file, config, way }: Plan,
  before: string,
  entry: ConfigEntry,
): { readonly original: string } | { readonly isReadable: boolean } {
  try {
    const original = file.readBackup();
    const isOurs = original !== undefined && config.set(original, way, entry) === before;
    return isOurs ? { original } : { isReadable: true };
  } catch (error) {
    if (error instanceof SkillError) return { isReadable: false };
    throw error;
  }
}

/** What cannot be changed safely is told with what to add by hand. */
function untouched<T>(
  { path }: ConfigFile,
  io: Io,
  wanted:
    | { readonly way: readonly string[]; readonly entry: ConfigEntry; readonly config: ConfigText }
    | undefined,
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "CONFIG_INVALID") throw error;
    const hint =
      wanted === undefined
        ? "Take the entry out by hand."
        : `Add this to it by hand:\n${wanted.config.snippet(wanted.way, wanted.entry)}`;
    const message = `${shortPath(io, path)} is left as it is, because ${error.message}.`;
    throw new SkillError("CONFIG_INVALID", message, { hint });
  }
}

function report(io: Io, plan: Plan, { action, before, after }: Outcome, note: string | undefined): void {
  const { client, scope, file, isDry } = plan;
  const diff = createTwoFilesPatch(file.path, file.path, before ?? "", after ?? "", "", "", { context: 2 });
  if (io.json) {
    const data = { client: client.id, scope, file: file.path, action, isDryRun: isDry, diff };
    printData(io, { ...data, backup: existsSync(file.backup) ? file.backup : null, note: note ?? null });
    return;
  }
  const place = shortPath(io, file.path);
  if (action === "unchanged") io.err(`${client.title} is set up already: ${place}\n`);
  // Ends of lines as Windows has them are no news to people.
  else if (isDry) io.out(plain(diff.replaceAll("\r\n", "\n")));
  else io.err(`${sentence(action, client)} ${place}\n`);
  if (isDry || action === "unchanged") return;
  if (action === "written" && existsSync(file.backup))
    io.err(`The file as it was before: ${shortPath(io, file.backup)}\n`);
  if (note !== undefined) io.err(`note: ${note}\n`);
  io.err(`Start ${client.title} anew to let it see the change.\n`);
}

function sentence(action: Outcome["action"], { title }: McpClient): string {
  switch (action) {
    case "written":
      return `${title} is set up to use the skills:`;
    case "restored":
      return `The settings of ${title} are as they were before:`;
    case "removed":
      return `The entry was taken out of the settings of ${title}, and all else left as it is:`;
    case "deleted":
      return `Nothing else was in the settings of ${title}, and the file is removed:`;
    case "unchanged":
      return `Nothing was to be done for ${title}:`;
  }
}
