import { STORE_LABEL } from "@skillhold/host/store";
import { type Toggled, toggleFolderSkill, toggleSkill } from "@skillhold/registry/access";
import type { FolderToggle } from "@skillhold/registry/record";
import { type CommandInput, type CommandModule, defineCommand, type OptionSpec } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { unknownSkill } from "../../get-entry.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { accessOptions, dryRunOption, idArgument, sourceOptions } from "../../shared-option.ts";
import { type OpenedRegistry, withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  dryRunOption,
  ...accessOptions,
  ...sourceOptions,
] as const satisfies readonly OptionSpec[];

/** The command that switches skills on, or the one that switches them off. */
export function toggleCommand(isEnabled: boolean, examples: readonly string[]): CommandModule {
  return defineCommand({
    arguments: [idArgument],
    options: optionSpecs,
    examples,
    run: (input) => toggle(input, isEnabled),
  });
}

/** Switches the winning skill of an id on or off, in the store or in a folder. */
async function toggle(input: CommandInput, isEnabled: boolean): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  const scope = await withLibrary(input, (opened) => findScope(id, opened));
  const kind = scope === "registry" ? "change" : "write";
  return await withRegistry<ExitCode>(input, kind, async (opened) => {
    if (scope === "folder") {
      const toggled = await toggleFolderSkill(id, isEnabled, { by: opened.actor }, opened.context);
      printFolder(io, toggled, isDryRun);
    } else printStored(io, await toggleStored(id, isEnabled, input, opened), isDryRun);
    return 0;
  });
}

type Scope = "registry" | "folder";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds the scope of the winning skill. A folder skill that is gone can still be switched by its id. */
async function findScope(id: string, opened: Opened): Promise<Scope> {
  const { library, viewer, isDisclosed, store } = opened;
  const candidates = (await library.explain(viewer, id)).filter(isDisclosed);
  const winner = candidates.find(({ state }) => state === "visible" || state === "hidden") ?? candidates[0];
  if (winner !== undefined) return winner.source === STORE_LABEL ? "registry" : "folder";
  if (store !== undefined && UUID.test(id)) return "registry";
  const toggles = (await store?.context.store.listToggles()) ?? [];
  if (toggles.some((each) => each.id === id)) return "folder";
  throw await unknownSkill(opened, id);
}

/** Enabling checks the dependencies again; a dry run skips the check, because the skill stays disabled. */
async function toggleStored(
  id: string,
  isEnabled: boolean,
  input: CommandInput,
  { context, actor }: OpenedRegistry,
): Promise<Toggled> {
  const by = { by: actor };
  if (!isEnabled || input.options["dryRun"] === true) return await toggleSkill(id, isEnabled, by, context);
  return await withMissingHook(input, context, (hooked) => toggleSkill(id, isEnabled, by, hooked));
}

function printFolder(io: Io, { id, isEnabled, by, at }: FolderToggle, isDryRun: boolean): void {
  if (io.json) {
    printData(io, { ok: true, id, scope: "folder", enabled: isEnabled, by, at, isDryRun });
    return;
  }
  io.out(`${id}: ${switched(isEnabled, isDryRun)} in folders\n`);
}

function printStored(io: Io, toggled: Toggled, isDryRun: boolean): void {
  const { id, enabled, status, reason, missing, warnings } = toggled;
  if (io.json) {
    printData(io, { ...toggled, scope: "registry", reason: reason ?? null, isDryRun });
    return;
  }
  io.out(`${id}: ${switched(enabled, isDryRun)} in the store, ${status}\n`);
  if (enabled && status === "archived" && reason !== "deps")
    io.err(`warning: ${id} stays hidden because it is archived: ${plain(reason ?? "")}\n`);
  if (enabled && missing.length > 0) io.err(`warning: missing dependencies: ${plain(missing.join(", "))}\n`);
  for (const warning of warnings) io.err(`warning: ${plain(warning)}\n`);
}

function switched(isEnabled: boolean, isDryRun: boolean): string {
  return `${isDryRun ? "would be " : ""}${isEnabled ? "on" : "off"}`;
}
