import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { FolderState, LiveReloadOptions, ShelfView, Viewer } from "@skillhold/core/library";
import { nodeHost, type Source } from "@skillhold/core/source";
import { cacheFile, present } from "@skillhold/host/place";
import { findSecrets } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { GATEWAYS_RUNTIME, openRemoteLibrary, type RemoteLibrary } from "@skillhold/registry/remote";
import type { CommandInput } from "../command.ts";
import { gatewayFlag, readIds } from "../library-choice.ts";
import { textOption } from "../option.ts";
import type { Io } from "../terminal/output.ts";
import { gatewayAccess } from "./gateway-access.ts";

type GatewayInput = Pick<CommandInput, "options" | "io">;

/** What is opened of a gateway, as commands take what is opened here. */
export interface RemoteOpened {
  readonly library: RemoteLibrary;
  readonly inspect: () => FolderState;
  readonly viewer: Viewer;
  /** The gateway names nothing that its user may not know of. */
  readonly isDisclosed: () => true;
  readonly precedence: "local";
  readonly sources: readonly Source[];
  readonly store: undefined;
  readonly mcp: readonly [];
  readonly rootFlags: string;
}

/** As many hits as can be asked for. */
const limits = withLimits({ searchHits: 1000 });

/** Opens the skills of a gateway for as long as they are used. There are no others beside them: it searches its own. */
export async function withRemoteLibrary<T>(
  { options, io }: GatewayInput,
  address: string,
  use: (opened: RemoteOpened) => Promise<T>,
  watch: LiveReloadOptions | undefined,
): Promise<T> {
  rejectUnlisted(options);
  const access = await gatewayAccess(address, io);
  const library = await openRemoteLibrary(
    { ...access, ...present({ cache: cacheFolder(options, io) }) },
    { host: await hostOf(io), ids: { next: randomUUID }, limits, ...present({ onError: watch?.onError }) },
  );
  try {
    const viewer = readRemoteViewer(options);
    // What is watched is compared with what is there now.
    if (watch !== undefined) await library.list(viewer);
    return await use({
      library,
      viewer,
      inspect: () => ({
        view: viewOf(library, viewer),
        sources: [],
        mode: watch === undefined ? "off" : "watch",
      }),
      isDisclosed: () => true,
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
  throw new SkillError("USAGE", "A gateway does not list what cannot be loaded.", {
    hint: "`skillhold explain` with the same --gateway names every candidate and why.",
  });
}

/** Who looks. What is not said is as the token has it: its user, its agent, and the runtime of that. */
function readRemoteViewer(options: CommandInput["options"]): Viewer {
  const [user, agent] = [textOption(options, "user"), textOption(options, "agent")];
  return {
    runtime: textOption(options, "runtime") ?? GATEWAYS_RUNTIME,
    invoker: textOption(options, "as") === "user" ? "user" : "model",
    ...present({ user, agent, allow: readIds(textOption(options, "allow")) }),
  };
}

async function hostOf(io: Io) {
  const hasSecret = await findSecrets(io);
  return nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd, hasSecret });
}

function cacheFolder(options: CommandInput["options"], { env }: Io): string | undefined {
  const file = options["cache"] === false ? undefined : cacheFile(env);
  return file === undefined ? undefined : join(dirname(file), "gateway");
}

function sourceOf({ source: label }: RemoteLibrary, url: string): Source {
  return { label, kind: "third_party", trust: "third_party", root: url };
}

/** What the viewer last saw, as the state behind a library. */
function viewOf(library: RemoteLibrary, viewer: Viewer): ShelfView {
  const entries = library.lastSeen(viewer);
  const find = (id: string) => entries.find((entry) => entry.id === id);
  return {
    entries,
    find,
    standing: () => undefined,
    kind: (id) => (find(id) === undefined ? undefined : "third_party"),
    shadowed: [],
    invalid: [],
  };
}
