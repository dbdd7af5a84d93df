import { resolve } from "node:path";
import type { RunPorts } from "@skillhold/core/run";
import {
  didYouMean,
  openSession,
  type SessionPorts,
  type SkillToolName,
  suggest,
  systemPorts,
} from "@skillhold/core/session";
import { statPath } from "@skillhold/host/place";
import { localRunPorts } from "@skillhold/host/run";
import { withState } from "@skillhold/host/store";
import type { McpSkills } from "@skillhold/mcp/server";
import { SkillError } from "@skillhold/protocol/error";
import { agentPublisher } from "@skillhold/registry/release";
import type { CommandInput } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { chooseGateway } from "../../library-choice.ts";
import { readMounts } from "../../mount.ts";
import { withLibrary } from "../../open.ts";
import { listOption, textOption } from "../../option.ts";
import { withRegistry } from "../../store.ts";
import { type Io, plain } from "../../terminal/output.ts";

/**
 * Opens what `skillhold mcp` serves, for as long as it is served: the library of the common options, kept up to date,
 * and sessions that run in the sandbox. Where skills come from is decided here and nowhere else on the way.
 */
export async function withMcpSkills<T>(
  input: Pick<CommandInput, "io" | "options">,
  use: (skills: McpSkills) => Promise<T>,
): Promise<T> {
  const { io, options } = input;
  const hasFileSystem = options["locations"] === true;
  const off = listOption(options, "off").map(toolName);
  const grants = readGrants(options, io);
  const watch = { onError: (error: unknown) => io.err(`warning: ${plain(messageOf(error))}\n`) };
  // The store first: a library does not look at one that is made later.
  return await withPublisher(input, (publishing) =>
    withLibrary(
      input,
      ({ library, viewer }) =>
        withState(io, (state) =>
          use({
            library,
            viewer,
            openSession: (ask) => {
              const runs = { ...localRunPorts(io, { ...state, asker: ask() }), ...grants };
              const ports = { ...systemPorts(state.audit), ...publishing, runs };
              return openSession(library, viewer, ports, { hasFileSystem });
            },
            off,
            approvalHint: APPROVAL_HINT,
          }),
        ),
      { watch },
    ),
  );
}

const APPROVAL_HINT =
  "This client cannot ask its user. The user can approve the content as it is now with `skillhold run <id> <script> --yes-for-this-content`.";

/** What whoever starts the server gives to the scripts of all its skills; each use of it is asked about. */
function readGrants(options: CommandInput["options"], io: Io): Pick<RunPorts, "grant" | "outputs"> {
  const mounts = readMounts(listOption(options, "mount"), io.cwd);
  const outputs = textOption(options, "outputs");
  return {
    ...(mounts.length === 0 ? {} : { grant: () => ({ mounts }) }),
    ...(outputs === undefined ? {} : { outputs: resolve(io.cwd, outputs) }),
  };
}

const TOOLS: readonly SkillToolName[] = [
  "list_skills",
  "search_skills",
  "read_skill",
  "read_skill_resource",
  "run_skill_script",
  "deactivate_skill",
  "publish_skill",
];

function toolName(text: string): SkillToolName {
  const found = TOOLS.find((name) => name === text);
  if (found !== undefined) return found;
  throw new SkillError("USAGE", `There is no tool ${text}.`, {
    hint: didYouMean(suggest(text, TOOLS)) ?? `The tools are ${TOOLS.join(", ")}.`,
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type McpInput = Pick<CommandInput, "io" | "options">;

/** Opens the store for what an agent publishes, as long as that is let; nothing is let without a folder to take it from. */
export async function withPublisher<T>(
  input: McpInput,
  use: (ports: Pick<SessionPorts, "publisher">) => Promise<T>,
): Promise<T> {
  const [first, ...others] = listOption(input.options, "publishFrom").map((path) => readRoot(path, input.io));
  if (first === undefined) return await use({});
  rejectElsewhere(input);
  return await withRegistry(input, "write", ({ context, actor: { user } }) =>
    withMissingHook(input, context, (hooked) =>
      use({ publisher: agentPublisher({ roots: [first, ...others], user }, hooked) }),
    ),
  );
}

function readRoot(label: string, { cwd }: Pick<Io, "cwd">): string {
  const path = resolve(cwd, label);
  if (statPath(path, label)?.isDirectory() === true) return path;
  throw new SkillError("PATH_NOT_FOUND", `There is no folder ${label} to publish from.`);
}

function rejectElsewhere({ options, io }: McpInput): void {
  const isOff = options["store"] === false;
  if (!isOff && chooseGateway(options, io, listOption(options, "root")) === undefined) return;
  const why = isOff ? "--no-store leaves it out" : "the skills are those of a gateway";
  throw new SkillError("USAGE", `--publish-from publishes to a store here, and ${why}.`, {
    hint: isOff ? "Leave out one of the two." : "Leave it out, or use your own skills with --no-gateway.",
  });
}
