import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  accessSync,
  chownSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import postgres from "postgres";

export interface PostgresCluster {
  /** For a superuser, with the database `postgres`. */
  readonly url: string;
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /** Stops the server with its connections and deletes its folder. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /**
   * Whether commits are synced to disk as in production; only benchmarks and machine crashes depend on it.
   */
  readonly isDurable?: boolean;
  /** The most connections of clients; 300 by default. */
  readonly connections?: number;
}

const START_MS = 60_000;

/** Starts a separate PostgreSQL server from the system's programs, in a new folder and on a free port. */
export async function startPostgres({
  isDurable = true,
  connections = 300,
}: ClusterOptions = {}): Promise<PostgresCluster> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error("There is no PostgreSQL here. Install postgresql.");
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "skillhold-postgres-"));
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [folder, passwordFile]) {
    if (account !== undefined) chownSync(path, account.uid, account.gid);
  }
  try {
    await initialise(programs, folder, account);
    const { server, url } = await startServer({
      programs,
      folder,
      account,
      password,
      isDurable,
      connections,
    });
    return clusterOf(server, url, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The folder of the newest PostgreSQL that can create a cluster. */
export function findPostgres(): string | undefined {
  const versions = readFolder(VERSIONS).sort((one, other) => Number(other) - Number(one));
  const folders = [
    ...versions.map((version) => join(VERSIONS, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => isProgram(join(folder, name))));
}

const VERSIONS = "/usr/lib/postgresql";

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
function unprivilegedAccount(): Account {
  const rows = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const row = ["postgres", "nobody"].flatMap((name) => rows.filter(([each]) => each === name))[0];
  if (row === undefined) throw new Error("There is neither a user postgres nor a user nobody to run as.");
  return { uid: Number(row[2]), gid: Number(row[3]) };
}

async function initialise(programs: string, folder: string, account: Account | undefined): Promise<void> {
  const child = start(
    [
      join(programs, "initdb"),
      ...["-D", join(folder, "data"), "-U", "skillhold", "-E", "UTF8", "--locale=C", "--no-sync"],
      ...["--auth=scram-sha-256", `--pwfile=${join(folder, "password")}`],
    ],
    folder,
    account,
  );
  const [output, errors, [code]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`initdb failed (${code}): ${errors}${output}`);
}

interface ServerOptions {
  readonly programs: string;
  readonly folder: string;
  readonly account: Account | undefined;
  readonly password: string;
  readonly isDurable: boolean;
  readonly connections: number;
}

async function startServer(
  options: ServerOptions,
): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const url = `postgres://skillhold:${options.password}@127.0.0.1:${port}/postgres`;
    const server = startOn(port, options);
    try {
      await waitUntilUp(server, url);
      return { server, url };
    } catch (error) {
      await end(server);
      // Another program may have taken the port.
      if (attempt === 3) throw error;
    }
  }
}

function startOn(
  port: number,
  { programs, folder, account, isDurable, connections }: ServerOptions,
): ChildProcess {
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: connections,
    shared_buffers: "64MB",
    log_min_messages: "fatal",
    ...(isDurable ? {} : { fsync: "off", full_page_writes: "off", wal_level: "minimal", max_wal_senders: 0 }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return start([join(programs, "postgres"), "-D", join(folder, "data"), ...flags], folder, account);
}

async function waitUntilUp(server: ChildProcess, url: string): Promise<void> {
  const errors = read(server.stderr);
  server.stdout?.resume();
  const deadline = performance.now() + START_MS;
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${await errors}`);
    const client = postgres(url, { max: 1, connect_timeout: 5 });
    try {
      await client`select 1`;
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await setTimeout(50);
    } finally {
      await client.end({ timeout: 1 });
    }
  }
}

function clusterOf(server: ChildProcess, url: string, folder: string): PostgresCluster {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await admin.end({ timeout: 1 });
    await end(server);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url,
    createDatabase: async () => {
      const name = `test_${randomBytes(8).toString("hex")}`;
      await admin.unsafe(`create database ${name} template template0 ${await languageOf(admin)}`);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** A locale that the server supports, so that the default collation differs from byte order. */
async function languageOf(admin: postgres.Sql): Promise<string> {
  const rows = await admin`select from pg_collation where collprovider = 'i' limit 1`;
  const isKnown = rows.length > 0 && Number.parseInt(String(admin.parameters["server_version"]), 10) >= 15;
  return isKnown ? "locale_provider icu icu_locale 'en'" : "";
}

/** Runs a program as the account; it ends with this process if the system supports that. */
function start(argv: readonly string[], cwd: string, account: Account | undefined): ChildProcess {
  const isTied = process.platform === "linux" && isProgram(SETPRIV);
  const change =
    account === undefined ? [] : [`--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups"];
  const [program = "", ...args] = isTied ? [SETPRIV, ...change, "--pdeathsig=QUIT", ...argv] : argv;
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" };
  return spawn(program, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(isTied ? {} : account),
  });
}

const SETPRIV = "/usr/bin/setpriv";

/** Immediate shutdown, because the data is no longer needed. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const closed = once(server, "exit");
  server.kill("SIGQUIT");
  await closed;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}

async function read(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream === null ? "" : await text(stream);
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    // Other systems have their programs on the path.
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable.
    return false;
  }
}
