import { lookup } from "node:dns/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { normalHost } from "@skillhold/core/network";
import { dockerLogin, npmRegistry, readTrust } from "@skillhold/host/install";
import { dataFolder, storeUrl } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { SKILLS_LOCK } from "@skillhold/registry/format";
import {
  agentFolder,
  type BaseStore,
  baseFolder,
  Fetcher,
  folderTarget,
  globalLock,
  InstallState,
  type InstallTarget,
  installGuard,
  type PlanContext,
  type PrepareContext,
  projectLock,
  SHARED_FOLDER,
  type SkillLock,
  type SourcePorts,
  systemGit,
} from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import type { CommandInput } from "../command.ts";
import { listOption, textOption } from "../option.ts";
import type { StoreUse } from "../store.ts";
import type { Io } from "../terminal/output.ts";

/** What a command that installs works with. */
export interface InstallSession {
  readonly context: PrepareContext & PlanContext;
  readonly target: InstallTarget;
  readonly bases: BaseStore;
  readonly state: InstallState;
  /** Of a folder. */
  readonly lock: SkillLock | undefined;
  /** A host that the user named may be in a private network. */
  allowHost(address: string): void;
}

type Asked = Pick<CommandInput, "options" | "io">;

/** Opens the target of the common options and what sources need, for as long as it is used. */
export async function withInstall<T>(
  asked: Asked,
  use: StoreUse,
  work: (session: InstallSession) => Promise<T>,
): Promise<T> {
  const { options, io } = asked;
  const state = new InstallState(join(dataFolder(io.env), "install.json"));
  const bases = baseFolder(join(dataFolder(io.env), "upstream"), defaultLimits);
  const isDryRun = options["dryRun"] === true;
  const place = readPlace(asked);
  if (place !== undefined) {
    const lock = openLock(place, asked);
    const target = folderTarget({ ...place, lock, bases, isDryRun, limits: defaultLimits });
    return await withSources(asked, { target, lock, bases, state, kept: [bases] }, work);
  }
  const [{ withRegistry }, { storeBases, storeTarget }] = await Promise.all([
    import("../store.ts"),
    import("@skillhold/registry/install/store"),
  ]);
  return await withRegistry(asked, use, async ({ context, actor }) => {
    const name = storeUrl(textOption(options, "store"), io).replace(/\/\/[^@/]*@/, "//");
    const target = storeTarget({ by: actor, name, state, isDryRun, signal: io.signal }, context);
    const kept = [bases, storeBases(context)];
    return await withSources(asked, { target, lock: undefined, bases, state, kept }, work);
  });
}

interface Place {
  readonly folder: string;
  readonly agents: readonly string[];
  readonly isCopied: boolean;
  readonly scope: "project" | "global";
  readonly project: string;
}

/** The folder that is meant; undefined for the store. */
function readPlace({ options, io }: Asked): Place | undefined {
  const agents = listOption(options, "agent");
  const asked = textOption(options, "target") ?? "store";
  if (asked === "store" && agents.length === 0) return undefined;
  const scope = asked === "global" ? "global" : "project";
  const project = resolve(io.cwd, textOption(options, "project") ?? ".");
  const home = homeOf(io);
  const root = scope === "global" ? home : project;
  const folder = join(root, SHARED_FOLDER);
  const places = agents.map((agent) => agentFolder(agent, scope, project, { home, env: io.env }));
  return { folder, agents: places, isCopied: options["copy"] === true, scope, project };
}

function homeOf({ env }: Pick<Io, "env">): string {
  if (env["HOME"]) return env["HOME"];
  try {
    return homedir();
  } catch (error) {
    // Containers often run under a numeric user id without an account.
    throw new SkillError("CONFIG_INVALID", "No home folder was found.", { hint: "Set HOME.", cause: error });
  }
}

/** The lock that belongs to the folder, as the `skills` command line places it. */
function openLock({ scope, project }: Place, { io }: Asked): SkillLock {
  if (scope === "project") return projectLock(join(project, SKILLS_LOCK));
  const xdg = io.env["XDG_STATE_HOME"];
  const file = xdg
    ? join(xdg, "skills", ".skill-lock.json")
    : join(homeOf(io), ".agents", ".skill-lock.json");
  return globalLock(file, { now: () => new Date() });
}

interface Opened extends Pick<InstallSession, "target" | "lock" | "bases" | "state"> {
  readonly kept: PlanContext["bases"];
}

async function withSources<T>(
  { options, io }: Asked,
  { kept, ...opened }: Opened,
  work: (session: InstallSession) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "skillhold-install-"));
  const named = new Set<string>();
  const { fetcher, ports: plain } = await openPorts({ options, io }, folder, named);
  const ports = { ...plain, logs: opened.state.logs };
  const trust = await readTrust(io.env);
  const context = {
    ports,
    clock: { now: () => new Date() },
    trust,
    policy: trust.policy,
    firstSight: opened.state,
    target: opened.target,
    bases: kept,
    isReplacing: options["replace"] === true,
    guard: installGuard(async (files, scan) => (await loadGuard()).scanGuard(files, scan)),
  };
  const allowHost = (address: string) => {
    const url = URL.parse(address);
    if (url !== null) named.add(normalHost(url));
  };
  if (ports.settings.clawhubRegistry !== undefined) allowHost(ports.settings.clawhubRegistry);
  try {
    return await work({ ...opened, context, allowHost });
  } finally {
    fetcher.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens what catalogs and registries are asked with. The hosts were named by the user. */
export async function withPorts<T>(
  asked: Asked,
  hosts: readonly string[],
  work: (ports: SourcePorts) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "skillhold-install-"));
  const named = new Set(hosts.flatMap((each) => (URL.canParse(each) ? [normalHost(new URL(each))] : [])));
  const { fetcher, ports } = await openPorts(asked, folder, named);
  const { clawhubRegistry } = ports.settings;
  if (clawhubRegistry !== undefined && URL.canParse(clawhubRegistry))
    named.add(normalHost(new URL(clawhubRegistry)));
  try {
    return await work(ports);
  } finally {
    fetcher.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function openPorts(
  { options, io }: Asked,
  work: string,
  named: Set<string>,
): Promise<{ readonly fetcher: Fetcher; readonly ports: SourcePorts }> {
  const isPlainAllowed = (host: string) => named.has(host) && isLoopback(host);
  const policy = { isPrivateAllowed: (host: string) => named.has(host), isPlainAllowed };
  const resolveHost = async (host: string) =>
    (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  const { signal } = io;
  const fetcher = new Fetcher({ resolve: resolveHost, policy, limits: defaultLimits, signal });
  const usesCredentials = options["useGitCredentials"] === true;
  const start: typeof launch = async (argv, launchOptions) => {
    const program = await launch(argv, launchOptions);
    // A failure is reported by the scan.
    loadGuard().catch(() => {});
    return program;
  };
  const git = systemGit({ launch: start, pins: fetcher.pins, env: io.env, usesCredentials, isPlainAllowed });
  const settings = {
    cwd: io.cwd,
    clawhubRegistry: urlOption(options, "registry") ?? (io.env["CLAWHUB_REGISTRY"] || undefined),
    npmRegistry: async () => {
      const registry = urlOption(options, "npmRegistry") ?? (await npmRegistry(io));
      const url = registry === undefined ? null : URL.parse(registry);
      // The user configured this host, so it may be private.
      if (url !== null) named.add(normalHost(url));
      return registry;
    },
    ociLogin: (host: string) => dockerLogin(io.env, host),
  };
  const gateway = async (url: string) =>
    (await import("../gateway/gateway-access.ts")).gatewayAccess(url, io);
  return { fetcher, ports: { fetcher, git, gateway, settings, limits: defaultLimits, work, signal } };
}

/** Loads the content guard; git's waiting time hides most of it. */
function loadGuard(): Promise<typeof import("@skillhold/deps/guard-scan")> {
  return import("@skillhold/deps/guard-scan");
}

function urlOption(options: CommandInput["options"], name: string): string | undefined {
  const text = textOption(options, name);
  if (text === undefined || /^https?:\/\/[^@]+$/.test(text)) return text;
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is not the address of a registry.`, {
    hint: "Write it as https://registry.example.org.",
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
