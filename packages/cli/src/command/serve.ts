import { exportTraces, type Listening, listen, openGateway, type Place } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyEvent } from "@skillhold/protocol/http";
import { DATA_VARIABLE } from "../data-folder.ts";
import { CloserList } from "../gateway/closer-list.ts";
import { gatewayLog, tellWaiting } from "../gateway/gateway-log.ts";
import { type GatewayParts, openParts } from "../gateway/gateway-part.ts";
import { startSeeding } from "../gateway/seeding.ts";
import {
  addressOf,
  hostsAt,
  readServeSettings,
  type ServeSettings,
  withDataFolder,
} from "../gateway/serve-option.ts";
import { hasAdministrator, makeSignInLink } from "../gateway/sign-in-link.ts";
import { listOption } from "../option.ts";
import { type ExitCode, type Io, plain, printLine } from "../output.ts";
import { withPatience } from "../patience.ts";
import { readVersion } from "../product-version.ts";
import type { CommandInput } from "../program.ts";
import { storeFlags, storeUrl } from "../store-address.ts";
import { paintFor } from "../text.ts";
import { untilAborted } from "../until-aborted.ts";

/** Starts a gateway, and ends it when the user interrupts: what runs may end, and everything is closed. */
export async function run({ options, io: given }: CommandInput): Promise<ExitCode> {
  const settings = readServeSettings(options);
  const io = withDataFolder(options, given);
  const url = storeUrl(options, io);
  const log = gatewayLog(io);
  const closing = new AbortController();
  const closers = new CloserList((error) => log({ level: "error", event: "close.failed", error }));
  try {
    const traces = await exportTraces({ env: io.env, version: readVersion(), log });
    closers.add(traces, (it) => it?.close());
    const roots = listOption(options, "root");
    const parts = await openParts(
      { io, url, roots, log, closing: closing.signal, limits: settings.limits },
      closers,
    );
    await serve(settings, { options, io }, parts, closing);
  } finally {
    closing.abort();
    await closers.close();
  }
  return 0;
}

async function serve(
  settings: ServeSettings,
  asked: Pick<CommandInput, "options" | "io">,
  parts: GatewayParts,
  closing: AbortController,
): Promise<void> {
  const { log, registry, progress } = parts.context;
  const listening = await listenAt(settings, asked.io, parts);
  const seeding = settings.isSeeded ? startSeeding({ log, signal: closing.signal }, registry) : undefined;
  const stopTelling = progress.listen((event) => logProgress(event, log));
  try {
    await withPatience(tellWaiting(log), () => announce(addressOf(listening, settings), asked, parts));
    await untilAborted(asked.io.signal);
    log({ level: "info", event: "gateway.closing" });
  } finally {
    closing.abort();
    await Promise.all([listening.close(), seeding?.close()]);
    stopTelling();
  }
}

const DEFAULT_PORT = 7878;
const MORE_PORTS = 20;

/** At the port that was asked for; or else at the usual one, or one of the next that is free. */
async function listenAt(
  settings: ServeSettings,
  io: Io,
  { context, temporary }: GatewayParts,
): Promise<Listening> {
  const { host, port, origins, isTls, isDiscoverable } = settings;
  const open = (place: Place) => {
    const hosts = hostsAt(place, settings);
    const options = { hosts, origins, isTls, isDiscoverable, rate: RATE, temporary };
    return openGateway({ ...context, options });
  };
  const onError = (error: Error) => context.log({ level: "error", event: "port.failed", error });
  if (port !== undefined) return await listen(open, { host, port, onError });
  for (let next = DEFAULT_PORT; ; next += 1)
    try {
      return await listen(open, { host, port: next, onError });
    } catch (error) {
      if (!isTaken(error) || next === DEFAULT_PORT + MORE_PORTS) throw error;
      io.err(`note: port ${next} is taken; ${next + 1} is tried, and --port names another.\n`);
    }
}

/** Requests a minute: more than a busy agent makes, and fewer than guessing takes. */
const RATE = { token: 12_000, address: 600 } as const;

function isTaken(error: unknown): boolean {
  return error instanceof SkillError && error.details["code"] === "EADDRINUSE";
}

/** Tells where it is, and at first, or to someone who looks on, how to get in. */
async function announce(
  address: string,
  { options, io }: Pick<CommandInput, "options" | "io">,
  { context: { registry, version } }: GatewayParts,
): Promise<void> {
  const isLinked = io.isOutTty || !(await hasAdministrator(registry));
  const signIn = isLinked ? await makeSignInLink(address, io, registry) : undefined;
  if (io.json) {
    printLine(io, { ok: true, data: { url: address, signIn: signIn ?? null, pid: process.pid } });
    return;
  }
  const paint = await paintFor(io.color);
  io.out(`Skillhold ${version} is at ${paint.bold(address)}\n`);
  if (signIn !== undefined) {
    const minutes = Math.round(registry.limits.signInMs / 60_000);
    io.out(`Sign in, once and within ${minutes} minutes: ${paint.cyan(signIn)}\n`);
  } else io.out(`To sign in: ${plain(signInCommand(address, options, io))}\n`);
  if (io.isErrTty) io.err("Ctrl-C ends it.\n");
}

function signInCommand(address: string, options: CommandInput["options"], { env }: Io): string {
  // Another terminal has neither the option nor the variable.
  const data = env[DATA_VARIABLE];
  const prefix = data ? `${DATA_VARIABLE}=${quoted(data)} ` : "";
  return `${prefix}skillhold token sign-in --url ${address}${storeFlags(options)}`;
}

function quoted(path: string): string {
  return /^[\w./~@+:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** What was looked at and is all there is no news. */
function logProgress(event: DependencyEvent, log: GatewayParts["context"]["log"]): void {
  const { type, ...about } = event;
  if (type === "skill.deps.checking" || (type === "skill.deps.checked" && event.ok)) return;
  const fields = Object.entries(about).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(" ") : value,
  ]);
  log({ level: "info", event: type, fields: Object.fromEntries(fields) });
}
