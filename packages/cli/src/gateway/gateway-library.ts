import { randomUUID } from "node:crypto";
import { type FolderState, type LiveReloadOptions, runtimeName, type Viewer } from "@skillhold/core/library";
import type { AuditSink } from "@skillhold/core/port";
import { nodeHost, type Source } from "@skillhold/core/source";
import type { Stack } from "@skillhold/host/library";
import { present } from "@skillhold/host/place";
import { gatewayCacheFolder } from "@skillhold/host/source";
import { findSecrets } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { openRemoteLibrary, type RemoteLibrary, type ViewerQuery } from "@skillhold/registry/remote";
import { ANY_RUNTIME } from "@skillhold/skill";
import type { CommandInput } from "../command.ts";
import { gatewayFlag, readIds } from "../library-choice.ts";
import { textOption } from "../option.ts";
import type { Io } from "../terminal/output.ts";
import { gatewayAccess } from "./gateway-access.ts";

type GatewayInput = Pick<CommandInput, "options" | "io">;

/** The skills of a gateway, in the shape that commands expect. */
export interface RemoteOpened {
  readonly library: RemoteLibrary;
  readonly inspect: () => FolderState;
  readonly viewer: Viewer;
  readonly manifest: undefined;
  /** The gateway records what it serves. */
  readonly audit: AuditSink;
  /** The gateway only returns skills that its user may see. */
  readonly isDisclosed: Stack["isDisclosed"];
  readonly precedence: "local";
  readonly sources: readonly Source[];
  readonly store: undefined;
  readonly mcp: readonly [];
  readonly rootFlags: string;
}

/** The highest number of hits that a user can request. */
const limits = withLimits({ searchHits: 1000 });

/** Opens the skills of a gateway for one call. They are not mixed with local skills, because the gateway searches only its own. */
export async function withRemoteLibrary<T>(
  { options, io }: GatewayInput,
  address: string,
  use: (opened: RemoteOpened) => Promise<T>,
  watch: LiveReloadOptions | undefined,
): Promise<T> {
  rejectUnlisted(options);
  const access = await gatewayAccess(address, io);
  const viewer = readRemoteViewer(options);
  const library = await openRemoteLibrary(
    { ...access, viewAs: viewAs(viewer), ...present({ cache: cacheFolder(options, io) }) },
    { host: await hostOf(io), ids: { next: randomUUID }, limits, ...present({ onError: watch?.onError }) },
  );
  try {
    // Changes are computed against this first listing.
    if (watch !== undefined) await library.list(viewer);
    return await use({
      library,
      viewer,
      inspect: () => ({
        view: library.view(),
        sources: [],
        mode: watch === undefined ? "off" : "watch",
      }),
      manifest: undefined,
      audit: { record: () => {} },
      isDisclosed: ({ id }) => viewer.allow?.includes(id) ?? true,
      precedence: "local",
      sources: [sourceOf(library, access.url)],
      store: undefined,
      mcp: [],
      rootFlags: gatewayFlag(access.url),
    });
  } finally {
    await library.close();
  }
}

function rejectUnlisted(options: CommandInput["options"]): void {
  if (options["invalid"] !== true) return;
  throw new SkillError("USAGE", "--invalid does not work with a gateway, which lists only valid skills.", {
    hint: "Run `skillhold explain` with the same --gateway to see every candidate.",
  });
}

/** The viewer of the options; the token sets the user, agent and runtime that are not given. */
function readRemoteViewer(options: CommandInput["options"]): Viewer {
  const [user, agent] = [textOption(options, "user"), textOption(options, "agent")];
  return {
    runtime: textOption(options, "runtime") ?? ANY_RUNTIME,
    invoker: textOption(options, "as") === "user" ? "user" : "model",
    ...present({ user, agent, allow: readIds(textOption(options, "allow")) }),
  };
}

/** The gateway chooses the runtime of a viewer that has none. */
function viewAs({ runtime, agent, user }: Viewer): ViewerQuery {
  return {
    invoker: "any",
    ...present({ agent, user }),
    ...(runtime === ANY_RUNTIME ? {} : { runtime: runtimeName({ runtime }) }),
  };
}

async function hostOf(io: Io) {
  const hasSecret = await findSecrets(io);
  return nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd, hasSecret });
}

function cacheFolder(options: CommandInput["options"], { env }: Io): string | undefined {
  return options["cache"] === false ? undefined : gatewayCacheFolder(env);
}

function sourceOf({ source: label }: RemoteLibrary, url: string): Source {
  return { label, kind: "third_party", trust: "third_party", root: url };
}
