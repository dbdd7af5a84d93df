import { existsSync } from "node:fs";
import { shortPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { createTwoFilesPatch } from "diff";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import {
  type ConfigScope,
  getClient,
  type McpClient,
  mcpClients,
  renewEntry,
  type Server,
} from "../../mcp-client/client-table.ts";
import { ConfigFile } from "../../mcp-client/config-file.ts";
import type { ConfigEntry, ConfigText } from "../../mcp-client/config-text.ts";
import { serverFor } from "../../mcp-client/launch.ts";
import { textOption } from "../../option.ts";
import { libraryOptions, mcpToolOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

/** The planned change of one settings file. */
interface Plan {
  readonly client: McpClient;
  readonly scope: ConfigScope;
  readonly file: ConfigFile;
  readonly config: ConfigText;
  /** The key path of the entry in the file. */
  readonly way: readonly string[];
  readonly isDry: boolean;
}

interface Outcome {
  readonly action: "written" | "unchanged" | "restored" | "removed" | "deleted";
  readonly before: string | undefined;
  /** Undefined when the file is deleted. */
  readonly after: string | undefined;
  readonly apply: () => void;
}

const optionSpecs = [
  {
    flags: "--client <name>",
    summary: `configure this client: ${mcpClients.map(({ id }) => id).join(", ")}`,
  },
  {
    flags: "--scope <scope>",
    summary: "configure all your projects, or the project in this folder",
    choices: ["user", "project"],
    default: "user",
  },
  { flags: "--name <name>", summary: "register the server under this name", default: "skillhold" },
  { flags: "--gateway <url>", summary: "use the skills of the gateway at this URL" },
  {
    flags: "--token-env <variable>",
    summary: "read the gateway's token from this variable; by default SKILLHOLD_TOKEN",
  },
  { flags: "--dry-run", summary: "print the changes without making them" },
  { flags: "--undo", summary: "remove the configuration again" },
  ...mcpToolOptions,
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

/** Configures an MCP client to use the skills, or undoes that. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const plan = await makePlan(input);
  const server = serverFor(plan.client, plan.scope, options, io.cwd);
  const entry = entryFor(plan.client, server);
  const outcome = options["undo"] === true ? undo(plan, io) : install(plan, entry, io);
  if (!plan.isDry) outcome.apply();
  report(io, plan, outcome, options["undo"] === true ? [] : stepsFor(plan, server));
  return 0;
}

async function makePlan({ io, options }: CommandInput): Promise<Plan> {
  const client = getClient(textOption(options, "client"));
  // The command table allows only these two.
  const scope = options["scope"] as ConfigScope;
  const home = io.env["HOME"] || io.env["USERPROFILE"];
  if (!home)
    throw new SkillError("CONFIG_INVALID", "No home folder was found.", {
      hint: "Set HOME to your home folder.",
    });
  const files = client.files(scope, { home, cwd: io.cwd, platform: process.platform, env: io.env });
  const path = files.find((each) => existsSync(each)) ?? files[0];
  if (path === undefined)
    throw new SkillError("USAGE", `${client.title} has no project settings.`, {
      hint: "Omit --scope to configure all projects.",
    });
  const config =
    client.format === "toml"
      ? (await import("../../mcp-client/toml-config.ts")).tomlConfig
      : (await import("../../mcp-client/json-config.ts")).jsonConfig;
  const file = new ConfigFile(path, scope === "user" ? 0o600 : 0o644);
  const way = [...serversIn(client, file, config), readName(textOption(options, "name") ?? "skillhold")];
  return { client, scope, file, config, way, isDry: options["dryRun"] === true };
}

/** The key path of the servers in this file: older versions of a client may use another one. */
function serversIn({ servers, older }: McpClient, file: ConfigFile, config: ConfigText): readonly string[] {
  const text = older === undefined ? undefined : file.read();
  if (older === undefined || text === undefined) return servers;
  try {
    return older.isIn(config.find(text, [])) ? older.servers : servers;
  } catch (error) {
    // The edit that follows reports a file that cannot be read.
    if (error instanceof SkillError) return servers;
    throw error;
  }
}

function readName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name)) return name;
  throw new SkillError("USAGE", `${JSON.stringify(name)} is not a valid server name.`, {
    hint: "Use letters, digits, hyphens and underscores.",
  });
}

function entryFor(client: McpClient, server: Server): ConfigEntry {
  const entry = client.entry(server);
  if (entry !== undefined) return entry;
  throw new SkillError("USAGE", `The settings file of ${client.title} does not support servers by URL.`, {
    hint: "Add the gateway as a connector in the app's own settings, or omit --gateway.",
  });
}

/** The steps left for the user. Tokens are never written to a file. */
function stepsFor({ client, scope }: Plan, server: Server): readonly string[] {
  const steps = client.steps?.(server, scope) ?? [];
  if (!("url" in server) || !JSON.stringify(client.entry(server)).includes(server.tokenVariable))
    return steps;
  const { title } = client;
  return [
    `${title} reads the token from the variable ${server.tokenVariable}: set it where you start ${title}.`,
    ...steps,
  ];
}

function install({ client, file, config, way }: Plan, entry: ConfigEntry, io: Io): Outcome {
  const before = file.read();
  const after = untouched(file, io, { way, entry, config }, () =>
    config.set(before ?? "", way, renewEntry(client, config.find(before ?? "", way), entry)),
  );
  if (after === before) return { action: "unchanged", before, after, apply: () => {} };
  const apply = () => {
    // While our entry is in the file, an existing backup is the file before the first install.
    const isFirst = before !== undefined && config.find(before, way) === undefined;
    if (before !== undefined && (isFirst || file.readBackup() === undefined)) file.keep(before);
    file.write(after);
  };
  return { action: "written", before, after, apply };
}

/** Restores the backup if the file has no other change since; otherwise removes only the entry. */
function undo(plan: Plan, io: Io): Outcome {
  const { file, config, way, client } = plan;
  const before = file.read();
  const entry =
    before === undefined ? undefined : untouched(file, io, undefined, () => config.find(before, way));
  if (before === undefined || entry === undefined)
    throw new SkillError("PATH_NOT_FOUND", `${shortPath(io, file.path)} has no Skillhold entry to remove.`, {
      hint: `Check --name, or run \`skillhold mcp install --client ${client.id}\` to configure the client.`,
    });
  // `set` wrote the value, and it writes only tables.
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

/** The backup may have been replaced: an unreadable one is neither restored nor removed. */
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

/** Turns an unsafe edit into an error with the lines to add by hand. */
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
        ? "Remove the entry by hand."
        : `Add this by hand:\n${wanted.config.snippet(wanted.way, wanted.entry)}`;
    const message = `${shortPath(io, path)} was not changed: ${error.message}.`;
    throw new SkillError("CONFIG_INVALID", message, { hint });
  }
}

function report(io: Io, plan: Plan, { action, before, after }: Outcome, steps: readonly string[]): void {
  const { client, scope, file, isDry } = plan;
  const diff = createTwoFilesPatch(file.path, file.path, before ?? "", after ?? "", "", "", { context: 2 });
  if (io.json) {
    const data = { client: client.id, scope, file: file.path, action, isDryRun: isDry, diff };
    printData(io, { ...data, backup: existsSync(file.backup) ? file.backup : null, steps });
    return;
  }
  const place = shortPath(io, file.path);
  if (action === "unchanged") io.err(`${client.title} is already configured: ${place}\n`);
  // Windows line ends would only clutter the diff on a terminal.
  else if (isDry) io.out(plain(diff.replaceAll("\r\n", "\n")));
  else io.err(`${sentence(action, client)} ${place}\n`);
  if (isDry || action === "unchanged") return;
  if (action === "written" && existsSync(file.backup))
    io.err(`Backup of the previous file: ${shortPath(io, file.backup)}\n`);
  for (const step of steps) io.err(`note: ${step}\n`);
  io.err(`Restart ${client.title} to apply the change.\n`);
}

function sentence(action: Outcome["action"], { title }: McpClient): string {
  switch (action) {
    case "written":
      return `Configured ${title} to use the skills:`;
    case "restored":
      return `Restored the previous settings of ${title}:`;
    case "removed":
      return `Removed the entry from the settings of ${title}:`;
    case "deleted":
      return `Deleted the settings file of ${title}, which had no other entries:`;
    case "unchanged":
      return `No change needed for ${title}:`;
  }
}
