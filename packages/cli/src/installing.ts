import { type Asker, systemPorts } from "@skillhold/core";
import {
  type DependencySurvey,
  type InstallEvent,
  type InstallReport,
  installClearance,
  installForSkill,
  type SurveyPorts,
  type SystemHost,
} from "@skillhold/core/environment";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { consent, terminalAsker, userName } from "./asker.ts";
import type { Opened } from "./open.ts";
import { present } from "./option.ts";
import { type Io, plain } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { withState } from "./state.ts";

export type Installed = InstallReport;

export interface SurveyHome extends SurveyPorts {
  readonly home: string;
}

/** Installs for a skill, after the policy and the user of this machine let it. */
export async function installFor(
  input: CommandInput,
  { library, viewer }: Opened,
  { survey, specs }: { readonly survey: DependencySurvey; readonly specs: readonly string[] },
  { home, findRuntime, limits }: SurveyHome,
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
      { home, findRuntime, limits, host: currentHost(io), clear },
      {
        signal: io.signal,
        dryRun: options["dryRun"] === true,
        onProgress: (event) => tell(io, event),
      },
    );
  return await withState(io, (state) =>
    withAsker(input, async (asker) => {
      const ports = { ...systemPorts(state.audit), approvals: state.approvals, limits, signal: io.signal };
      const treeHash = async () => (await read()).treeHash;
      try {
        return await install(installClearance(content, { ...ports, treeHash, ...present({ asker }) }));
      } catch (error) {
        throw withAdvice(error);
      }
    }),
  );
}

async function withAsker<T>(
  { io, options }: CommandInput,
  use: (asker: Asker | undefined) => Promise<T>,
): Promise<T> {
  const by = userName(io.env);
  if (options["yes"] === true) return await use(consent(by));
  const tty = options["dryRun"] === true ? undefined : await io.tty();
  try {
    return await use(tty === undefined ? undefined : terminalAsker(tty, by));
  } finally {
    tty?.close();
  }
}

function currentHost({ env }: Io): SystemHost {
  return {
    env,
    platform: process.platform,
    osRelease: "/etc/os-release",
    isRoot: process.getuid?.() === 0,
  };
}

/** Each item as it is begun and ended; results are printed when all is done. */
function tell(io: Io, event: InstallEvent): void {
  if (io.json) return;
  if (event.type === "skill.dep.item.installing") io.err(`installing ${plain(event.dep)}\n`);
}

function withAdvice(error: unknown): unknown {
  if (!(error instanceof SkillError) || error.code !== "APPROVAL_REQUIRED") return error;
  if (error.hint !== errorTable.APPROVAL_REQUIRED.hint) return error;
  return new SkillError(error.code, error.message, {
    hint: "Run it at a terminal to be asked, or add --yes to approve it.",
    details: error.details,
    cause: error,
  });
}
