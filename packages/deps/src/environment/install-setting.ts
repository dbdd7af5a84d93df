import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { HostList, Mount } from "@skillhold/core/run";
import { EGRESS_URL } from "@skillhold/sandbox/backend";
import { z } from "zod";
import { runCommand } from "./command.ts";
import type { CommandArgv } from "./install-command.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** The configuration of a package manager: its registries, and the files and variables that it gets. */
export interface ManagerSettings {
  readonly network: HostList;
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
}

const SETTINGS_MS = 30_000;

/**
 * The variables of the host that a package manager receives. A package sees none of them, because no code of a package
 * runs during an installation.
 */
const CREDENTIALS = ["NPM_TOKEN", "NODE_AUTH_TOKEN"] as const;

/** Every registry may be private, because the user configured it. Nothing else may. */
function hostsOf(urls: readonly string[], env: Variables): HostList {
  const authorities = urls.flatMap((text) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) return [];
    const port = url.port === "" ? (url.protocol === "http:" ? "80" : "443") : url.port;
    return [`${url.hostname}:${port}`];
  });
  const files = authorities.some((each) => each.startsWith("pypi.org:"))
    ? ["files.pythonhosted.org:443"]
    : [];
  const named = (env["SKILLHOLD_PACKAGE_HOSTS"] ?? "").split(/[\s,]+/).filter((host) => host !== "");
  const hosts = [...new Set([...authorities, ...files, ...named])];
  return { hosts, privateHosts: hosts };
}

/** The proxy variables also cover registries on the loopback address. */
const THROUGH_PROXY = { NO_PROXY: "", no_proxy: "" } as const;

const NpmConfig = z.looseObject({ registry: z.string().optional(), cafile: z.string().nullish() });

/** Reads the registries from npm's own configuration. The user's file is mounted, because it holds the credentials. */
export async function npmSettings(
  program: CommandArgv,
  env: Variables,
  folder: string,
): Promise<ManagerSettings> {
  const argv: CommandArgv = [...program, "config", "ls", "--json", "--prefix", folder];
  const { stdout } = await runCommand(argv, {
    env: readerEnvironment(env, NPM),
    cwd: "/",
    timeoutMs: SETTINGS_MS,
  });
  const config = NpmConfig.safeParse(parseJson(stdout));
  const found = config.success ? config.data : {};
  const registry = found.registry ?? "https://registry.npmjs.org/";
  const scoped = Object.entries(found).flatMap(([key, value]) =>
    /^@[^/:]+:registry$/.test(key) && typeof value === "string" ? [value] : [],
  );
  const own = await firstFile([env["npm_config_userconfig"], env["HOME"] && join(env["HOME"], ".npmrc")]);
  const user = own === undefined ? [] : [{ source: own, target: "/opt/skillhold/npmrc", isWritable: false }];
  const ca = await certificates([found.cafile ?? undefined, env["NODE_EXTRA_CA_CERTS"]]);
  return {
    network: hostsOf([registry, ...scoped], env),
    mounts: [...user, ...(ca?.mounts ?? [])],
    env: {
      ...THROUGH_PROXY,
      ...passed(env),
      npm_config_registry: registry,
      npm_config_proxy: EGRESS_URL,
      npm_config_https_proxy: EGRESS_URL,
      npm_config_noproxy: "",
      npm_config_userconfig: user[0]?.target ?? "/work/.npmrc",
      ...(ca === undefined ? {} : { npm_config_cafile: ca.path, NODE_EXTRA_CA_CERTS: ca.path }),
    },
  };
}

/** Reads the indexes from pip's own configuration. An index in a folder is skipped: no folder is mounted. */
export async function pipSettings(python: string, env: Variables): Promise<ManagerSettings> {
  const argv: CommandArgv = [python, "-I", "-m", "pip", "config", "list"];
  const { stdout } = await runCommand(argv, {
    env: readerEnvironment(env, PIP),
    cwd: "/",
    timeoutMs: SETTINGS_MS,
  });
  const config = readPipConfig(stdout);
  const list = (name: string) => (config.get(name) ?? "").split(/\s+/).filter((each) => each !== "");
  const index =
    list("index-url")[0] ?? env["UV_DEFAULT_INDEX"] ?? env["UV_INDEX_URL"] ?? "https://pypi.org/simple";
  const extra = list("extra-index-url").filter((url) => /^https?:\/\//.test(url));
  const trusted = list("trusted-host");
  const ca = await certificates([config.get("cert"), env["SSL_CERT_FILE"]]);
  return {
    network: hostsOf([index, ...extra], env),
    mounts: ca?.mounts ?? [],
    env: {
      ...THROUGH_PROXY,
      PIP_INDEX_URL: index,
      UV_DEFAULT_INDEX: index,
      PIP_CONFIG_FILE: "/dev/null",
      ...(extra.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: extra.join(" "), UV_INDEX: extra.join(" ") }),
      ...(trusted.length === 0 ? {} : { PIP_TRUSTED_HOST: trusted.join(" ") }),
      ...(ca === undefined ? {} : { PIP_CERT: ca.path, SSL_CERT_FILE: ca.path }),
    },
  };
}

/** Reads the lines `global.index-url='https://…'`. A variable comes after the files, and takes precedence. */
function readPipConfig(text: string): ReadonlyMap<string, string> {
  const rows = text.split("\n").flatMap((line) => {
    const [, section = "", name, , value] = /^([^=]*)\.([a-z-]+)=(['"])(.*)\3$/.exec(line) ?? [];
    return name === undefined || value === undefined
      ? []
      : [{ rank: section === ":env:" ? 1 : 0, name, value }];
  });
  return new Map(
    rows.sort((a, b) => a.rank - b.rank).map(({ name, value }) => [name, value.replaceAll("\\n", " ")]),
  );
}

const NPM = /^(?:npm_config_\w+|NPM_TOKEN|NODE_AUTH_TOKEN)$/i;
const PIP = /^PIP_\w+$/;

/** The environment of a manager that only prints its configuration. */
function readerEnvironment(env: Variables, own: RegExp): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (entry[0] === "HOME" || own.test(entry[0])),
  );
  const path = (env["PATH"] ?? "").split(":").filter(isAbsolute).join(":");
  return { ...Object.fromEntries(kept), PATH: path, LANG: "C.UTF-8" };
}

function passed(env: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(
    CREDENTIALS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** Certificates of the system are already in the sandbox. */
async function certificates(
  paths: readonly (string | undefined)[],
): Promise<{ readonly path: string; readonly mounts: readonly Mount[] } | undefined> {
  const source = await firstFile(paths);
  if (source === undefined) return undefined;
  if (/^\/(?:etc\/(?:ssl|pki)|usr)\//.test(source)) return { path: source, mounts: [] };
  const target = "/opt/skillhold/ca.pem";
  return { path: target, mounts: [{ source, target, isWritable: false }] };
}

async function firstFile(paths: readonly (string | undefined)[]): Promise<string | undefined> {
  for (const path of paths) {
    if (path === undefined || !isAbsolute(path)) continue;
    if ((await stat(path).catch(() => undefined))?.isFile() === true) return path;
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
