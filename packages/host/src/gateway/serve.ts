import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { systemTimers } from "@skillhold/core/port";
import type { Sandbox } from "@skillhold/core/run";
import {
  exportTraces,
  type Listening,
  type LogEntry,
  listen,
  loopbackHosts,
  openGateway,
  type SsoSettings,
} from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { type ConfiguredWebhook, configureWebhooks } from "@skillhold/registry/webhook";
import { productVersion } from "../place/bundled.ts";
import { proposalFolder } from "../place/data-folder.ts";
import type { Machine } from "../place/machine.ts";
import { storeUrl } from "../place/store-address.ts";
import { userName } from "../place/user-name.ts";
import type { GatewayLayerSettings } from "../source/gateway-layer.ts";
import { secretKeys } from "../store/state.ts";
import { CloserList } from "./closer-list.ts";
import { type GatewayPartOptions, type GatewayParts, openParts } from "./gateway-part.ts";
import { ProposalMirror } from "./proposal-mirror.ts";
import { Retention } from "./retention.ts";
import { Seeding } from "./seeding.ts";
import { makeSignInLink } from "./sign-in-link.ts";

/** How a gateway is served. Every field has a default that is safe on a developer's machine. */
export interface ServeOptions {
  /** The address to bind; loopback by default. Another address needs `behindTls` or `insecureBind`. */
  readonly host?: string;
  /** The port; without it, 7878 or one of the next 20 that is free. */
  readonly port?: number;
  /** The store's URL; by default the user's own. */
  readonly store?: string;
  /** Folders that are served along with the store. */
  readonly roots?: readonly string[];
  /** A folder with one folder per workspace, by the key of its agent. */
  readonly workspaces?: string;
  /** Other gateways whose skills are served along with the store, with the rights of their tokens. */
  readonly gateways?: readonly GatewayLayerSettings[];
  /** Names under which the gateway is reached, in addition to its own address. */
  readonly allowedHosts?: readonly string[];
  /** Origins of other pages that may call it. */
  readonly origins?: readonly string[];
  readonly behindTls?: boolean;
  readonly insecureBind?: boolean;
  /** The single sign-on provider of people. */
  readonly sso?: Omit<SsoSettings, "resolve">;
  /** Whether public skills are listed for anonymous clients. */
  readonly discovery?: boolean;
  /** Whether publishers may make skills public; by default only administrators may. */
  readonly openPublishing?: boolean;
  /** Users and agents that must approve every proposal, except their own ones. */
  readonly reviewers?: GatewayPartOptions["reviewers"];
  /** Who can use a promoted skill before its review: its agent, all agents of the user, or no agent. */
  readonly promotions?: GatewayPartOptions["promotions"];
  /** Private hosts that webhooks may notify, also without TLS. Public hosts need no entry. */
  readonly webhookHosts?: readonly string[];
  /** Webhooks that are stored at the start; earlier ones of this kind that are not listed are removed. */
  readonly webhooks?: readonly ConfiguredWebhook[];
  /** The agent that writes the drafts of promoted skills; without it, they come from a template. */
  readonly author?: GatewayPartOptions["author"];
  /** Whether the bundled skills are published at the start. */
  readonly seed?: boolean;
  /** Whether served folders are watched for changes; true by default. The store is always current. */
  readonly watch?: boolean;
  /** Whether skills of served folders that break the specification are rejected. */
  readonly strict?: boolean;
  /** Records of use in the audit log are pruned after this many days; never without it. */
  readonly auditDays?: number;
  /** The texts of runs in sessions are deleted after this many days; 30 by default. */
  readonly outputsDays?: number;
  /** Whether only reviewed content of served folders is used: an edit on disk becomes a proposal. */
  readonly governed?: boolean;
  readonly limits?: Limits;
  readonly sandbox?: Sandbox;
  readonly log?: (entry: LogEntry) => void;
  /** Called for each port that is taken while the next one is tried. */
  readonly onPortTaken?: (port: number) => void;
  /** Called once, when the bundled skills are published. */
  readonly onReady?: () => void;
}

/** A gateway that is listening. */
export interface ServedGateway {
  /** The address for users, such as `http://127.0.0.1:7878`. */
  readonly url: string;
  readonly parts: GatewayParts;
  /** A link that signs in once as an administrator. */
  readonly signInLink: () => Promise<string>;
  /** Stops listening, lets running calls end within their grace period, and closes the store. */
  readonly close: () => Promise<void>;
}

const DEFAULT_PORT = 7878;
const MORE_PORTS = 20;
const OUTPUTS_DAYS = 30;
/** Requests a minute: more than a busy agent makes, and too few to guess a token. */
const RATE = { token: 12_000, address: 600 } as const;

/** Starts a gateway with its console, WebSocket and MCP on one port. */
export async function serveGateway(options: ServeOptions, machine: Machine): Promise<ServedGateway> {
  const { host = "127.0.0.1", behindTls = false, insecureBind = false } = options;
  rejectOpenBind(host, behindTls || insecureBind);
  const log = options.log ?? (() => {});
  const closing = new AbortController();
  const closers = new CloserList((error) => log({ level: "error", event: "close.failed", error }));
  const close = async () => {
    closing.abort();
    await closers.close();
  };
  try {
    const traces = await exportTraces({
      env: machine.env,
      version: productVersion(),
      timers: systemTimers,
      log,
    });
    closers.add(traces, (it) => it?.close());
    const url = storeUrl(options.store, machine);
    const { roots = [], gateways = [], openPublishing = false, limits = defaultLimits, sandbox } = options;
    const { watch = true, strict = false, governed = false } = options;
    const { workspaces, reviewers = [], promotions = "agent", webhookHosts = [], author } = options;
    const custom = {
      isWatched: watch,
      strict,
      governed,
      workspaces,
      reviewers,
      promotions,
      webhookHosts,
      author,
      ...(sandbox === undefined ? {} : { sandbox }),
    };
    const parts = await openParts(
      { machine, url, roots, gateways, log, limits, openPublishing, closing: closing.signal, ...custom },
      closers,
    );
    if (options.webhooks !== undefined)
      await configureWebhooks(options.webhooks, { keys: secretKeys(machine.env) }, parts.context.registry);
    const onReady = () => {
      log({ level: "info", event: "gateway.ready" });
      options.onReady?.();
    };
    const seeding =
      options.seed === false ? undefined : new Seeding({ log, onReady, signal: closing.signal });
    const listening = closers.add(await listenAt(host, options, parts, seeding), (it) => it.close());
    const { registry } = parts.context;
    const { auditDays, outputsDays = OUTPUTS_DAYS } = options;
    const retention = new Retention({ auditDays, outputsDays }, { registry, timers: systemTimers, log });
    closers.add(retention, (it) => it.close());
    closers.add(seeding, (it) => it?.close());
    closers.add(openMirror(parts, machine, log), (it) => it.close());
    const address = servedUrl(listening, options);
    parts.announce(address);
    if (seeding === undefined) onReady();
    else seeding.start(registry);
    return { url: address, parts, signInLink: () => makeSignInLink(address, machine, registry), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openMirror(
  { context }: GatewayParts,
  { env }: Machine,
  log: (entry: LogEntry) => void,
): ProposalMirror {
  const options = {
    folder: proposalFolder(env),
    author: { user: userName(env), role: "agent" },
    timers: context.timers,
    onProblem: (file: string, { code, message }: SkillError) =>
      log({ level: "warning", event: "proposal.file_refused", message, fields: { file, code } }),
    onError: (error: unknown) => log({ level: "error", event: "proposal.file_failed", error }),
  } as const;
  return new ProposalMirror(options, context.registry);
}

/** Listens at the given port, or at the first free one from the default on. */
async function listenAt(
  host: string,
  options: ServeOptions,
  parts: GatewayParts,
  seeding: Pick<Seeding, "state"> | undefined,
): Promise<Listening> {
  const { origins = [], behindTls: isTls = false, discovery: isDiscoverable = false, onPortTaken } = options;
  const { context, temporary } = parts;
  const sso = options.sso === undefined ? {} : { sso: { ...options.sso, resolve: addressesOf } };
  const open = (place: Bound) =>
    openGateway({
      ...context,
      ...sso,
      ...(seeding === undefined ? {} : { startup: () => seeding.state }),
      options: {
        ...{ hosts: hostsAt(place, options), publicUrl: servedUrl(place, options) },
        ...{ origins, isTls, isDiscoverable, rate: RATE, temporary },
      },
    });
  const { timers } = context;
  const onError = (error: Error) => context.log({ level: "error", event: "port.failed", error });
  if (options.port !== undefined) return await listen(open, { host, port: options.port, timers, onError });
  for (let port = DEFAULT_PORT; ; port += 1)
    try {
      return await listen(open, { host, port, timers, onError });
    } catch (error) {
      if (!isTaken(error) || port === DEFAULT_PORT + MORE_PORTS) throw error;
      onPortTaken?.(port);
    }
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

interface Bound {
  readonly host: string;
  readonly port: number;
}

function isTaken(error: unknown): boolean {
  return error instanceof SkillError && error.details["code"] === "EADDRINUSE";
}

/** The Host headers that a gateway bound here accepts. */
export function hostsAt(
  { host, port }: Bound,
  options: Pick<ServeOptions, "allowedHosts" | "behindTls">,
): readonly string[] {
  const { allowedHosts = [], behindTls = false } = options;
  const withPort = (name: string) => (port === 80 ? name : `${name}:${port}`);
  const own = isAnyAddress(host) ? [] : [withPort(bracketed(host).toLowerCase())];
  // Without TLS in front, a name without a port also stands for this port.
  const named = allowedHosts.flatMap((name) =>
    behindTls || /:\d+$/.test(name) ? [name] : [name, withPort(name)],
  );
  return [...new Set([...loopbackHosts(port), ...own, ...named])];
}

/** The address that users open. */
export function servedUrl(
  { host, port }: Bound,
  { allowedHosts = [], behindTls }: Pick<ServeOptions, "allowedHosts" | "behindTls">,
): string {
  const [name] = allowedHosts;
  if (behindTls && name !== undefined) return `https://${name}`;
  return `http://${bracketed(isAnyAddress(host) ? "127.0.0.1" : host)}${port === 80 ? "" : `:${port}`}`;
}

/** Refuses an address that others can reach, unless the operator allowed it. */
export function rejectOpenBind(host: string, isMeant: boolean): void {
  if (isMeant || isLoopback(host)) return;
  throw new SkillError("USAGE", `Binding to ${host} sends tokens over the network without TLS.`, {
    hint: "Put TLS in front of the gateway and add --behind-tls; or add --insecure-bind on a private network.",
  });
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  const own = new BlockList();
  own.addSubnet("127.0.0.0", 8, "ipv4");
  own.addAddress("::1", "ipv6");
  return own.check(host, family === 6 ? "ipv6" : "ipv4");
}

function isAnyAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
