import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Repositories over HTTP, as git itself serves them. */
export interface GitServer {
  readonly url: string;
  /** Bytes and requests that were answered. */
  readonly traffic: { bytes: number; requests: number };
  /** The headers of every request. */
  readonly seen: IncomingMessage["headers"][];
  repository(name: string, options?: { readonly hasFilters?: boolean }): Repository;
  close(): Promise<void>;
}

export interface Repository {
  readonly url: string;
  /** Runs git in the work tree. */
  git(...args: readonly string[]): string;
  /** Writes files; a value of `{ link }` is a symbolic link, one that ends in `*` is executable. */
  write(files: Readonly<Record<string, string | Uint8Array | { readonly link: string }>>): void;
  /** Commits everything and pushes all refs; returns the commit. */
  commit(message?: string): string;
}

const BACKEND = join(execFileSync("git", ["--exec-path"]).toString().trim(), "git-http-backend");

const identity = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

export async function openGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), "skillhold-git-"));
  const traffic = { bytes: 0, requests: 0 };
  const seen: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    traffic.requests += 1;
    seen.push(request.headers);
    serve(join(root, "bare"), request, response, (bytes) => {
      traffic.bytes += bytes;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens has an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    traffic,
    seen,
    repository: (name, { hasFilters = true } = {}) =>
      makeRepository(root, `${url}/${name}.git`, name, hasFilters),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function makeRepository(root: string, url: string, name: string, hasFilters: boolean): Repository {
  const bare = join(root, "bare", `${name}.git`);
  const tree = join(root, "tree", name);
  mkdirSync(tree, { recursive: true });
  const env = { ...process.env, ...identity };
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: tree, env, stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trim();
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare], { env });
  execFileSync("git", ["-C", bare, "config", "uploadpack.allowFilter", String(hasFilters)]);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", bare);
  return {
    url,
    git,
    write: (files) => {
      for (const [path, content] of Object.entries(files)) {
        const file = join(tree, path.replace(/\*$/, ""));
        mkdirSync(dirname(file), { recursive: true });
        if (typeof content === "object" && "link" in content) symlinkSync(content.link, file);
        else writeFileSync(file, content, { mode: path.endsWith("*") ? 0o755 : 0o644 });
      }
    },
    commit: (message = "change") => {
      git("add", "--all", "--force");
      git("commit", "--quiet", "--allow-empty", "-m", message);
      git("push", "--quiet", "--force", "origin", "--all");
      git("push", "--quiet", "--force", "origin", "--tags");
      return git("rev-parse", "HEAD");
    },
  };
}

/** The gateway interface that git's own server speaks. */
function serve(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  onBytes: (bytes: number) => void,
): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: decodeURIComponent(pathname),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method ?? "GET",
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    REMOTE_ADDR: "127.0.0.1",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
  if (request.headers["content-encoding"] === "gzip") env["HTTP_CONTENT_ENCODING"] = "gzip";
  const protocol = request.headers["git-protocol"];
  if (typeof protocol === "string") env["GIT_PROTOCOL"] = protocol;
  const child = spawn(BACKEND, [], { env, stdio: ["pipe", "pipe", "ignore"] });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    onBytes(chunk.length);
    if (head === undefined) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    const fields = head
      .toString("latin1", 0, end)
      .split("\r\n")
      .map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = fields.find(([name]) => name === "Status")?.[1];
    response.writeHead(
      Number.parseInt(status ?? "200", 10),
      Object.fromEntries(fields.filter(([name]) => name !== "Status")),
    );
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  child.on("close", () => response.end());
}

export function skillText(name: string, body = "Do it.\n", fields = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name} when it is asked for.\n${fields}---\n${body}`;
}
