import { BlockList, isIP } from "node:net";
import { resolve } from "node:path";
import { loopbackHosts, type Place } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import { type Limits, withLimits } from "@skillhold/protocol/limits";
import { DATA_VARIABLE } from "../data-folder.ts";
import { countOption, listOption, textOption } from "../option.ts";
import type { Io } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { namedLimits } from "../skill-selection.ts";

type Options = CommandInput["options"];

/** How a gateway was asked for. */
export interface ServeSettings {
  readonly host: string;
  /** Undefined when none was named. */
  readonly port: number | undefined;
  readonly allowedHosts: readonly string[];
  readonly origins: readonly string[];
  readonly isTls: boolean;
  readonly isDiscoverable: boolean;
  readonly isSeeded: boolean;
  readonly limits: Limits;
}

export function readServeSettings(options: Options): ServeSettings {
  const host = textOption(options, "host") ?? "127.0.0.1";
  const isTls = options["behindTls"] === true;
  rejectOpen(host, isTls || options["insecureBind"] === true);
  const allowedHosts = listOption(options, "allowHost").map(readHost);
  if (isTls && allowedHosts.length === 0)
    throw new SkillError("USAGE", "Under which name it is reached over TLS is not said.", {
      hint: "Add --allow-host with the name that users type, such as skills.example.org.",
    });
  return {
    host,
    port: countOption(options, "port", { min: 0, max: 65_535 }),
    allowedHosts,
    origins: listOption(options, "allowOrigin").map(readOrigin),
    isTls,
    isDiscoverable: options["discovery"] === true,
    isSeeded: options["seed"] !== false,
    limits: withLimits({
      ...namedLimits,
      ...Object.fromEntries(listOption(options, "limit").map(readLimit)),
    }),
  };
}

/** Which limits there are, and what each may be, the table says. */
function readLimit(text: string): readonly [name: string, value: number] {
  const [, name = "", value = ""] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name !== "") return [name, Number(value)];
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} does not set a limit.`, {
    hint: "Write it as archiveBytes=104857600, in bytes or milliseconds.",
  });
}

/** With `--data`, all that is the user's is looked for there. */
export function withDataFolder<T extends Pick<Io, "env" | "cwd">>(options: Options, io: T): T {
  const data = textOption(options, "data");
  if (data === undefined) return io;
  if (data === "") throw new SkillError("USAGE", "--data names no folder.");
  return { ...io, env: { ...io.env, [DATA_VARIABLE]: resolve(io.cwd, data) } };
}

/** The names under which requests for a gateway at this place come. */
export function hostsAt({ host, port }: Place, { allowedHosts, isTls }: ServeSettings): readonly string[] {
  const withPort = (name: string) => (port === 80 ? name : `${name}:${port}`);
  const own = isAnywhere(host) ? [] : [withPort(bracketed(host).toLowerCase())];
  // A name without a port is that of the scheme; without TLS in front it is also this one.
  const named = allowedHosts.flatMap((name) => (isTls || hasPort(name) ? [name] : [name, withPort(name)]));
  return [...new Set([...loopbackHosts(port), ...own, ...named])];
}

/** Where users find it. */
export function addressOf({ host, port }: Place, { allowedHosts, isTls }: ServeSettings): string {
  const [name] = allowedHosts;
  if (isTls && name !== undefined) return `https://${name}`;
  return `http://${bracketed(isAnywhere(host) ? "127.0.0.1" : host)}${port === 80 ? "" : `:${port}`}`;
}

function rejectOpen(host: string, isMeant: boolean): void {
  if (isMeant || isLoopback(host)) return;
  throw new SkillError("USAGE", `At ${host} others can reach it, and read what is sent: tokens, too.`, {
    hint: "Put TLS in front of it and add --behind-tls; or add --insecure-bind, where the network is yours alone.",
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

function isAnywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name);
}

function readHost(text: string): string {
  const host = text.toLowerCase();
  if (/^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/.test(host))
    return host;
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is no host.`, {
    hint: "Write it as the browser shows it, without a scheme: skills.example.org or 10.0.0.5:7878.",
  });
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is no origin.`, {
    hint: "Write it as https://console.example.org, with the port if there is one, and without a path.",
  });
}
