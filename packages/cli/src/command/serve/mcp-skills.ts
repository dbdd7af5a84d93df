import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DeferredRunPorts, RunPorts } from "@skillhold/core/run";
import { openSession, type SessionPorts, type SkillProposer, systemPorts } from "@skillhold/core/session";
import { followNotices, loadWarnings, runtimeSkips } from "@skillhold/host/library";
import { present } from "@skillhold/host/place";
import { localProposer, withState } from "@skillhold/host/store";
import type { McpSkills } from "@skillhold/mcp/server";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../../command.ts";
import { chooseGateway } from "../../library-choice.ts";
import { readOfferedTool } from "../../mcp-client/offered-tool.ts";
import { readMounts } from "../../mount.ts";
import { withLibrary } from "../../open.ts";
import { countOption, listOption, textOption } from "../../option.ts";
import { type Io, plain } from "../../terminal/output.ts";

/**
 * Opens the skills that `skillhold mcp` serves: a library of the common options, watched unless `--no-watch` is given, and
 * sessions that run scripts in the sandbox.
 */
export async function withMcpSkills<T>(
  input: Pick<CommandInput, "io" | "options">,
  use: (skills: McpSkills) => Promise<T>,
): Promise<T> {
  const { io, options } = input;
  const hasFileSystem = options["locations"] === true;
  const off = listOption(options, "off").map(readOfferedTool);
  const grants = readGrants(options, io);
  await removeOldOutputs(grants.outputs, input);
  const proposer = readProposer(input);
  const watch = { onError: (error: unknown) => io.err(`warning: ${plain(messageOf(error))}\n`) };
  // The store comes first, because an open library does not notice a store that is created later.
  return await withPublisher(input, (publishing) =>
    withLibrary(
      input,
      ({ library, viewer, manifest, inspect, isDisclosed }) => {
        const disclosed = () => inspect().view.entries.filter(isDisclosed);
        const notices = () => [...loadWarnings(disclosed()), ...runtimeSkips(disclosed(), viewer)];
        followNotices(library, notices, ({ message }) => io.err(`warning: ${plain(message)}\n`));
        return withState(io, (state) =>
          use({
            library,
            viewer,
            openSession: (ask) => {
              const asker = ask();
              const runs: DeferredRunPorts = {
                ...{ approvals: state.approvals, asker },
                load: async () => {
                  const { localRunPorts } = await import("@skillhold/host/run");
                  return { ...localRunPorts(io, { ...state, asker }), ...grants };
                },
              };
              const ports = {
                ...systemPorts(state.audit),
                ...publishing,
                ...present({ proposer }),
                runs,
                uses: state.audit.uses,
              };
              return openSession(library, viewer, ports, { hasFileSystem, ...present({ manifest }) });
            },
            off,
            isStructured: options["structured"] === true,
            approvalHint: io.hint(APPROVAL_HINT),
          }),
        );
      },
      { ...(options["watch"] === false ? {} : { watch }), usesModels: true },
    ),
  );
}

/** Opens the store for agents that publish. Without `--publish-from`, agents cannot publish, and the publisher is not loaded. */
async function withPublisher<T>(
  input: Pick<CommandInput, "io" | "options">,
  use: (ports: Pick<SessionPorts, "publisher">) => Promise<T>,
): Promise<T> {
  const [first, ...others] = listOption(input.options, "publishFrom");
  if (first === undefined) return await use({});
  const { withFolderPublisher } = await import("./mcp-publisher.ts");
  return await withFolderPublisher([first, ...others], input, use);
}

const DAY_MS = 86_400_000;
const APPROVAL_HINT =
  "This client cannot ask its user. The user can approve the current content with `skillhold approve <id>`.";

/** Mounts and the output folder for scripts of all skills; each use still needs an approval. */
function readGrants(options: CommandInput["options"], io: Io): Pick<RunPorts, "grant" | "outputs"> {
  const mounts = readMounts(listOption(options, "mount"), io.cwd);
  const outputs = textOption(options, "outputs");
  return {
    ...(mounts.length === 0 ? {} : { grant: () => ({ mounts }) }),
    ...(outputs === undefined ? {} : { outputs: resolve(io.cwd, outputs) }),
  };
}

/** A folder that cannot be pruned does not keep the server from starting. */
async function removeOldOutputs(
  outputs: string | undefined,
  { options, io }: Pick<CommandInput, "io" | "options">,
): Promise<void> {
  const days = countOption(options, "outputsDays", { min: 1, max: 36_500 });
  if (days === undefined) return;
  if (outputs === undefined)
    throw new SkillError("USAGE", "--outputs-days needs --outputs.", {
      hint: "Name the folder of the outputs.",
    });
  // The first run creates the folder.
  if (!existsSync(outputs)) return;
  const { pruneOutputs } = await import("@skillhold/sandbox/run");
  const before = new Date(Date.now() - days * DAY_MS);
  await pruneOutputs(outputs, { before }).catch((error: unknown) =>
    io.err(`warning: ${plain(messageOf(error))}\n`),
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Proposals go to the store of the skills; a gateway takes those for its own skills. */
function readProposer({ options, io }: Pick<CommandInput, "io" | "options">): SkillProposer | undefined {
  const root = listOption(options, "root");
  if (options["store"] === false || chooseGateway(options, io, root) !== undefined) return undefined;
  const warn = (message: string) => io.err(`warning: ${plain(message)}\n`);
  return localProposer({ root, store: textOption(options, "store") }, { env: io.env, cwd: io.cwd, warn });
}
