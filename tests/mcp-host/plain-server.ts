import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A server without any library that speaks the protocol of 2025 in the given manner: old, exits, silent, hangs,
 * rubbish, stays, dies. The metadata of its skill describes its process.
 */
const [, , manner = "old", log] = process.argv;
if (log !== undefined) appendFileSync(log, `${process.pid}\n`);
// Keeps the output open, which would block a wait for its end.
const child =
  manner === "stays" ? spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"] }) : undefined;
if (manner === "stays") process.on("SIGTERM", () => {});
if (manner === "rubbish") setInterval(() => process.stdout.write("rubbish\n{]\n[]\n{}\n"), 10);
process.stderr.write("The plain server starts.\n");

const metadata = {
  env: Object.keys(process.env).sort().join(","),
  pids: [process.pid, ...(child?.pid === undefined ? [] : [child.pid])].join(","),
  cwd: process.cwd(),
};
const lines = Object.entries(metadata).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
const text = `---\nname: plain\ndescription: Says what it is.\nmetadata:\n${lines.join("\n")}\n---\nPlain.\n`;
const uri = "skill://plain/SKILL.md";
const skill = {
  uri,
  frontmatter: { name: "plain", description: "Says what it is.", metadata },
  resources: [{ uri, digest: `sha256:${hash("sha256", text, "hex")}`, size: Buffer.byteLength(text) }],
};
const capabilities = { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };

const results: Readonly<Record<string, (params: { protocolVersion?: string }) => unknown>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities,
    serverInfo: { name: "plain", version: "0" },
  }),
  "skills/list": () => ({ skills: [skill] }),
  "resources/read": () => (manner === "dies" ? process.exit(1) : { contents: [{ uri, text }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || manner === "hangs" || manner === "rubbish") return;
  const result = results[method];
  if (result === undefined && manner === "exits") process.exit(3);
  if (result === undefined && manner === "silent") return;
  const answer =
    result === undefined ? { error: { code: -32601, message: "?" } } : { result: result(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
// Without this the process would end when its input does.
if (manner === "stays" || manner === "hangs") setInterval(() => {}, 1000);
