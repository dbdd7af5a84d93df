import { existsSync } from "node:fs";
import { errorCodeOf } from "@skillhold/core/bundle";
import { type HostPins, normalHost } from "@skillhold/core/network";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type { Launch, LaunchedProgram } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";

/** Runs one git command to its end. Throws a SkillError for whatever git refuses. */
export type RunGit = (command: GitCommand) => Promise<Buffer>;

export interface GitCommand {
  /** The arguments after `git` and its options. Contract: values from a source come only after `--`. */
  readonly args: readonly string[];
  /** The bare repository. */
  readonly repository?: string;
  /** The remote that is asked, if any: its address is judged and pinned. */
  readonly remote?: string;
  readonly input?: string;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface GitOptions {
  readonly launch: Launch;
  readonly pins: HostPins;
  /** `PATH`, and with `usesCredentials` what ssh and credential helpers need. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Lets the user's own configuration, credential helper and ssh agent in. Never on a gateway. */
  readonly usesCredentials?: boolean;
  isPlainAllowed(host: string): boolean;
  /** The value of `Authorization` for a host. */
  authorization?(host: string): string | undefined;
  /** A key and the known hosts for ssh, where the user's own are not used. */
  readonly ssh?: { readonly key: string; readonly knownHosts: string };
  readonly maxMs?: number;
  readonly timers?: Timers;
  /** The largest file that git may write. */
  readonly maxFileBytes?: number;
}

const MAX_MS = 300_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MAX_ERROR = 16 * 1024;
const PRLIMIT = "/usr/bin/prlimit";

/** The system's git, hardened: no configuration, hook, filter, prompt or protocol that a repository could choose. */
export function systemGit(options: GitOptions): RunGit {
  return async (command) => {
    const { pinned, env } = await connect(command, options);
    const place = command.repository === undefined ? [] : [`--git-dir=${command.repository}`];
    const git = ["git", ...place, ...fixedConfig(options), ...pinned, ...command.args] as const;
    const argv = limited(git, options.maxFileBytes ?? MAX_FILE_BYTES);
    const launched = await start(argv, env, command.signal, options.launch);
    return await finish(launched, command, options);
  };
}

function fixedConfig({ usesCredentials = false }: GitOptions): readonly string[] {
  const settings = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "transfer.fsckObjects=true",
    "transfer.bundleURI=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
    "gc.auto=0",
    "maintenance.auto=false",
    ...(usesCredentials ? [] : ["credential.helper="]),
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

interface Connection {
  readonly pinned: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function connect({ remote }: GitCommand, options: GitOptions): Promise<Connection> {
  const url = remote === undefined ? null : URL.parse(remote);
  const isPlain = url?.protocol === "http:" && options.isPlainAllowed(normalHost(url));
  if (url?.protocol === "http:" && !isPlain)
    throw new SkillError("POLICY_DENIED", `${url.host} would be asked without TLS.`, { hint: "Use https." });
  const env = baseEnvironment(options, isPlain);
  if (url === null) return { pinned: [], env };
  // The user's ssh configuration may give names that only ssh understands.
  if (url.protocol === "ssh:" && options.usesCredentials === true) return { pinned: [], env };
  const { host, port, address } = await options.pins.pin(url);
  if (url.protocol === "ssh:")
    return { pinned: [], env: { ...env, GIT_SSH_COMMAND: sshCommand(host, address, options) } };
  const header = options.authorization?.(host);
  const target = address.includes(":") ? `[${address}]` : address;
  return {
    pinned: ["-c", `http.curloptResolve=${host}:${port}:${target}`],
    env: header === undefined ? env : { ...env, ...headerEnvironment(url, header) },
  };
}

function baseEnvironment(options: GitOptions, isPlain: boolean): Readonly<Record<string, string>> {
  const { env, usesCredentials = false } = options;
  const names = usesCredentials ? ["PATH", "HOME", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "USER"] : ["PATH"];
  const given = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...Object.fromEntries(given),
    GIT_CONFIG_NOSYSTEM: "1",
    ...(usesCredentials ? {} : { GIT_CONFIG_GLOBAL: "/dev/null", HOME: "/nonexistent" }),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_ALLOW_PROTOCOL: isPlain ? "https:ssh:http" : "https:ssh",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes",
    LC_ALL: "C",
  };
}

/** A secret is in the environment of git alone: arguments can be read by every user of the machine. */
function headerEnvironment(url: URL, header: string): Readonly<Record<string, string>> {
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${url.origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${header}`,
  };
}

/** Contract: host and address have passed a URL parser and the pins, so that neither has a blank or a quote. */
function sshCommand(host: string, address: string, { ssh }: GitOptions): string {
  if (ssh === undefined)
    throw new SkillError("UNAUTHENTICATED", `There is no ssh key for ${host}.`, {
      hint: "Use the https address, or --use-git-credentials to use your own ssh keys.",
    });
  const words = [
    "ssh -F/dev/null -oBatchMode=yes -oStrictHostKeyChecking=yes -oIdentitiesOnly=yes",
    `-oUserKnownHostsFile=${quote(ssh.knownHosts)} -i${quote(ssh.key)}`,
    `-oHostKeyAlias=${host} -oHostName=${address}`,
  ];
  return words.join(" ");
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function limited(git: readonly string[], maxFileBytes: number): readonly [string, ...string[]] {
  if (!existsSync(PRLIMIT)) return ["git", ...git.slice(1)];
  return [PRLIMIT, `--fsize=${maxFileBytes}`, "--core=0", "--", ...git];
}

async function start(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  launch: Launch,
): Promise<LaunchedProgram> {
  try {
    return await launch(argv, { env, signal });
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    throw missingGit(error);
  }
}

export function missingGit(cause?: unknown): SkillError {
  return new SkillError("NOT_READY", "git is not installed on this machine.", {
    hint: "Install git, or name an archive of the repository in place of the repository.",
    cause,
  });
}

async function finish(launched: LaunchedProgram, command: GitCommand, options: GitOptions): Promise<Buffer> {
  const { maxMs = MAX_MS, timers = systemTimers } = options;
  const { input = "", maxBytes = MAX_OUTPUT, signal } = command;
  let problem: SkillError | undefined;
  const stop = (error: SkillError) => {
    problem ??= error;
    launched.kill();
  };
  const cancelDeadline = timers.after(maxMs, () => stop(timedOut(maxMs)));
  const abort = () =>
    stop(new SkillError("INTERRUPTED", "The install was interrupted.", { cause: signal?.reason }));
  signal?.addEventListener("abort", abort, { once: true });
  const out = collect(launched.stdout, maxBytes, () => stop(tooMuch(maxBytes)));
  const err = collect(launched.stderr, MAX_ERROR, () => {});
  launched.stdin.end(input);
  try {
    const { code, signal: killed } = await launched.ended;
    if (problem !== undefined) throw problem;
    if (code === 0) return out();
    throw explain(
      err().toString("utf8"),
      command,
      code === 127 ? "missing" : killed === "SIGXFSZ" ? "size" : "failed",
    );
  } finally {
    cancelDeadline();
    signal?.removeEventListener("abort", abort);
  }
}

function collect(stream: LaunchedProgram["stdout"], most: number, onExcess: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) chunks.push(chunk);
    else onExcess();
  });
  return () => Buffer.concat(chunks);
}

function timedOut(ms: number): SkillError {
  return new SkillError("TIMED_OUT", `git did not finish within ${ms} ms.`, {
    hint: "Try again, or install from an archive of the repository.",
  });
}

function tooMuch(bytes: number): SkillError {
  return new SkillError(
    "LIMIT_EXCEEDED",
    `The repository has more than ${bytes} bytes of what was asked for.`,
    {
      hint: "Name the folder of one skill in the repository.",
    },
  );
}

/** What git said, as the failure that callers branch on. The rows are tried in order. */
const failures: readonly (readonly [RegExp, (host: string, said: string) => SkillError])[] = [
  [
    /could not read Username|Authentication failed|Permission denied|terminal prompts disabled|HTTP Basic: Access denied|Host key verification failed|returned error: 40[13]/i,
    (host) =>
      new SkillError("UNAUTHENTICATED", `${host} does not show this repository without signing in.`, {
        hint: "Check that the repository exists; for a private one use --use-git-credentials or give a token.",
      }),
  ],
  [
    /repository .* not found|does not appear to be a git repository|returned error: 404|not valid: is this a git repository/i,
    (host) =>
      new SkillError("PATH_NOT_FOUND", `${host} has no such repository.`, {
        hint: "Check the spelling of owner and repository.",
      }),
  ],
  [
    /not our ref|couldn't find remote ref|no such remote ref|unadvertised object|did not send all necessary objects/i,
    (host) =>
      new SkillError("PATH_NOT_FOUND", `The repository at ${host} has no such branch, tag or commit.`, {
        hint: "Name a branch, a tag or a full commit id that the repository has.",
      }),
  ],
  [
    /transport '.*' not allowed|protocol .* is not supported|strange (?:hostname|pathname)/i,
    (host) =>
      new SkillError("POLICY_DENIED", `git refused the address of ${host}.`, { hint: "Use https or ssh." }),
  ],
  [
    /Could not resolve host|Failed to connect|Connection (?:refused|timed out|reset)|unable to access/i,
    (host, said) =>
      new SkillError("REMOTE_FAILED", `${host} cannot be reached: ${said}.`, {
        hint: "Check the address, and that this machine has network.",
      }),
  ],
  [
    /File size limit exceeded|file too large|index-pack failed|fetch-pack: invalid|No space left/i,
    (host, said) =>
      new SkillError("LIMIT_EXCEEDED", `The repository at ${host} is too large or damaged: ${said}.`, {
        hint: "Install from an archive of the one skill.",
      }),
  ],
];

function explain(
  text: string,
  { remote, args }: GitCommand,
  kind: "missing" | "size" | "failed",
): SkillError {
  const host = (remote === undefined ? null : URL.parse(remote))?.host ?? "the repository";
  const line =
    text.split("\n").find((each) => /^(?:fatal|error|remote):/.test(each)) ?? text.split("\n")[0] ?? "";
  const said = line
    .replace(/^(?:fatal|error|remote):\s*/, "")
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/\.$/, "")
    .slice(0, 300);
  if (kind === "missing" || /prlimit: failed to execute git/.test(text)) return missingGit();
  const known = failures.find(([pattern]) => pattern.test(kind === "size" ? "file too large" : text));
  if (known !== undefined) return known[1](host, said);
  return new SkillError(
    "REMOTE_FAILED",
    `git ${args[0] ?? ""} failed for ${host}: ${said || "no reason given"}.`,
    {
      details: { command: args[0] },
    },
  );
}
