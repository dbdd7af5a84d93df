import { systemPorts } from "@skillhold/core/session";
import {
  type DependencySurvey,
  type InstallEvent,
  type InstallReport,
  installClearance,
  installForSkill,
  type SurveyPorts,
  specsFor,
} from "@skillhold/deps/environment";
import { present } from "@skillhold/host/place";
import { systemHost } from "@skillhold/host/run";
import { STORE_LABEL, withState } from "@skillhold/host/store";
import type { SkillEntry } from "@skillhold/protocol";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { settleMissing } from "@skillhold/registry/release";
import type { CommandInput } from "../../command.ts";
import type { Opened } from "../../open.ts";
import { withRegistry } from "../../store.ts";
import { withAsker } from "../../terminal/asker.ts";
import { type Io, plain } from "../../terminal/output.ts";

export type Installed = InstallReport;

export interface SurveyHome extends SurveyPorts {
  readonly home: string;
}

/** Installs dependencies for a skill after the policy and the user approve. */
export async function installFor(
  input: CommandInput,
  { library, viewer }: Opened,
  { survey, specs }: { readonly survey: DependencySurvey; readonly specs: readonly string[] },
  { home, findRuntime, limits, sandbox }: SurveyHome,
): Promise<Installed> {
  const { io, options } = input;
  const read = () => library.read(viewer, survey.id);
  const content = await read();
  const install = (clear: ReturnType<typeof installClearance>) =>
    installForSkill(
      {
        owner: { skill: survey.id, needs: survey.manifest.dependencies },
        specs,
        scope: options["global"] === true ? "global" : "skill",
        mayChangeSystem: options["system"] === true,
      },
      { home, findRuntime, limits, sandbox, host: systemHost(io), clear },
      {
        signal: io.signal,
        dryRun: options["dryRun"] === true,
        onProgress: (event) => printProgress(io, event),
      },
    );
  return await withState(io, (state) =>
    withAsker(
      io,
      { isApproved: options["yes"] === true, mayAsk: options["dryRun"] !== true },
      async (asker) => {
        const ports = { ...systemPorts(state.audit), approvals: state.approvals, limits, signal: io.signal };
        const treeHash = async () => (await read()).treeHash;
        try {
          return await install(installClearance(content, { ...ports, treeHash, ...present({ asker }) }));
        } catch (error) {
          throw withAdvice(error);
        }
      },
    ),
  );
}

/** The packages that provide the missing required dependencies of a skill. */
export function missingSpecs({ state, manifest }: DependencySurvey, io: Io): readonly string[] {
  return specsFor(state.missing, manifest.ways ?? [], systemHost(io));
}

/** Prints each item when its installation starts; the results follow at the end. */
function printProgress(io: Io, event: InstallEvent): void {
  if (io.json) return;
  if (event.type === "skill.dep.item.installing") io.err(`installing ${plain(event.dep)}\n`);
}

/** Replaces the general hint with the option to add on the command line. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof SkillError)) return error;
  const hint = adviceFor(error);
  if (hint === undefined) return error;
  return new SkillError(error.code, error.message, { hint, details: error.details, cause: error });
}

function adviceFor({ code, hint, details }: SkillError): string | undefined {
  if (code === "POLICY_DENIED" && details["trust"] === "third_party")
    return `If the skill is your own, add --trust-project or name its folder with --root. ${hint}`;
  const isUsual = code === "APPROVAL_REQUIRED" && hint === errorTable.APPROVAL_REQUIRED.hint;
  return isUsual ? "Run the command at a terminal to approve it there, or add --yes." : undefined;
}

/**
 * Stores the missing dependencies of a skill of the store, for SQLite only: the gateways of a PostgreSQL store report
 * their own machines.
 */
export async function storeMissing(
  input: CommandInput,
  { source, id, revision }: Pick<SkillEntry, "source" | "id" | "revision">,
  { state }: DependencySurvey,
  { store }: Pick<Opened, "store">,
): Promise<void> {
  if (source !== STORE_LABEL || store?.engine !== "sqlite" || state.state === "unknown") return;
  const row = await store.context.store.findSkill(id);
  if (row === undefined || row.revision !== revision) return;
  // `--user` names the viewer here; the acting user is the local one.
  const options = { ...input.options, user: undefined };
  await withRegistry({ ...input, options }, "change", async ({ context, actor }) => {
    await settleMissing(row, state.missing, { by: actor, isArchived: row.isSystem }, context);
  });
}
