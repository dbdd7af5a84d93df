import type { Asker } from "@skillhold/core/approval";
import type { Network, RunPorts } from "@skillhold/core/run";
import { openSession, type Session, systemPorts } from "@skillhold/core/session";
import { environmentRuns } from "@skillhold/deps/environment";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { unconfined } from "@skillhold/sandbox/backend";
import { findConfig, openRunner } from "@skillhold/sandbox/run";
import { withAsker } from "./asker.ts";
import { dataFolder } from "./data-folder.ts";
import { type Opened, withLibrary } from "./open.ts";
import { present } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { chooseSandbox } from "./sandbox-choice.ts";
import { type State, withState } from "./state.ts";

/** A session that can run what skills bring along. */
export interface Running extends Opened {
  readonly session: Session;
}

/** Opens a session over the library of the common options, with all that running takes. */
export async function withSession<T>(
  input: CommandInput,
  use: (running: Running) => Promise<T>,
  network?: Network,
): Promise<T> {
  const { io, options } = input;
  return await withLibrary(input, (opened) =>
    withState(io, (state) =>
      withAsker(io, { isApproved: options["yesForThisContent"] === true }, async (asker) => {
        const runs = runPorts(io, state, asker, network);
        const session = await openSession(opened.library, opened.viewer, {
          ...systemPorts(state.audit),
          runs,
        });
        try {
          return await use({ ...opened, session });
        } catch (error) {
          throw withAdvice(error);
        } finally {
          await session.close();
        }
      }),
    ),
  );
}

/** What it takes to run what skills bring along on this machine. */
export function runPorts(
  io: Io,
  { approvals, secrets }: State,
  asker: Asker | undefined,
  network: Network | undefined,
): RunPorts {
  const sandbox = chooseSandbox(io, network);
  return {
    runner: openRunner,
    sandbox,
    ...environmentRuns(dataFolder(io.env), { sandbox, limits: defaultLimits }),
    approvals,
    secrets,
    env: (name) => io.env[name],
    config: (path) => findConfig(path, { home: io.env["HOME"], cwd: io.cwd }),
    ...present({ asker, unsandboxed: allowsUnsandboxed(io.env) ? unconfined() : undefined }),
  };
}

/** The first of the two switches; the second is `--unsandboxed`. */
export function allowsUnsandboxed(env: Io["env"]): boolean {
  return env["SKILLHOLD_ALLOW_UNSANDBOXED"] === "1";
}

/** The table's advice is for all who run things; here it can be said what to type. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof SkillError) || error.code !== "APPROVAL_REQUIRED") return error;
  if (error.hint !== errorTable.APPROVAL_REQUIRED.hint) return error;
  return new SkillError(error.code, error.message, {
    hint: "Run it at a terminal to be asked, or add --yes-for-this-content to approve the content as it is now.",
    details: error.details,
    cause: error,
  });
}
