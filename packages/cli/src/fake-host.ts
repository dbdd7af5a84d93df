import { execFileSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { main } from "./main.ts";
import type { CommandHost } from "./terminal/terminal.ts";
import type { Tty } from "./terminal/tty.ts";

export interface FakeHostOptions {
  readonly env?: CommandHost["env"];
  /** Both streams are a terminal of this width. */
  readonly columns?: number;
  /** The piped input. */
  readonly input?: string;
  /** The lines typed at the terminal, which exists even when the streams are redirected; of a list, one per prompt. */
  readonly typed?: string | readonly string[];
  /** Emits this process's signals, because tests share a worker. */
  readonly signals?: EventEmitter;
}

/** A fake process that records its output. */
export function fakeHost(
  cwd: string,
  { env = {}, columns, input, typed, signals = new EventEmitter() }: FakeHostOptions = {},
) {
  const chunks = { out: [] as Buffer[], err: [] as Buffer[], tty: [] as Buffer[] };
  const open = (name: "out" | "err"): CommandHost["stdout"] => ({
    write: (text) => chunks[name].push(Buffer.from(text)),
    on: () => {},
    ...(columns === undefined ? {} : { isTTY: true, columns }),
  });
  const stdin = Object.assign(Readable.from(input === undefined ? [] : [Buffer.from(input)]), {
    isTTY: typed !== undefined && input === undefined,
  });
  const openTty = () => (typed === undefined ? undefined : fakeTty(typed, chunks.tty));
  const stderr = typed === undefined ? open("err") : { ...open("err"), isTTY: true };
  const host: CommandHost = {
    ...{ stdin, stdout: open("out"), stderr, openTty, env, cwd: () => cwd },
    on: (event, listener) => signals.on(event, listener),
    off: (event, listener) => signals.off(event, listener),
  };
  const bytes = () => Buffer.concat(chunks.out);
  const text = (name: "err" | "tty") => Buffer.concat(chunks[name]).toString();
  return {
    host,
    emit: (event: "SIGINT" | "uncaughtException", reason?: unknown) => signals.emit(event, reason),
    texts: () => ({ out: bytes().toString(), err: text("err") }),
    bytes,
    tty: () => text("tty"),
  };
}

/** A fake terminal that types at each prompt, which is a text without a final newline, and records its output. */
function fakeTty(typed: string | readonly string[], shown: Buffer[]): Tty {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines = typeof typed === "string" ? [typed] : [...typed];
  output.on("data", (chunk: Buffer) => {
    shown.push(chunk);
    const next = chunk.toString().endsWith("\n") ? undefined : lines.shift();
    if (next !== undefined) input.write(next);
    if (next !== undefined && lines.length === 0) input.end();
  });
  return { input, output, close: () => {} };
}

/** Runs a command line in a folder. Without HOME, only that folder is read or written. */
export async function runMain(argv: readonly string[], cwd: string, options?: FakeHostOptions) {
  const { host, texts, tty } = fakeHost(cwd, options);
  const code = await main(argv, host);
  return { code, ...texts(), ...(options?.typed === undefined ? {} : { tty: tty() }) };
}

/** Runs a command line with `--json` and returns the parsed envelope. */
export async function runJson(argv: readonly string[], cwd: string, options?: FakeHostOptions) {
  const { code, out, err } = await runMain([...argv, "--json"], cwd, options);
  const { ok, data, error } = JSON.parse(out);
  return { code, err, ok, data, error };
}

export function writeFile(root: string, path: string, content: string | Uint8Array): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/**
 * Creates a folder 16 levels below a root that even root cannot list, because its path exceeds the system's limit.
 * Returns its relative path. Remove the tree with `removeTree`.
 */
export function makeUnlistable(root: string): string {
  const name = "u".repeat(255);
  const script =
    'for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do mkdir "$0" && cd -P "$0" || exit 1; done';
  execFileSync("sh", ["-c", script, name], { cwd: root });
  return Array(16).fill(name).join("/");
}

/** Also removes paths that are too long for Node. */
export function removeTree(root: string): void {
  execFileSync("rm", ["-rf", root]);
}

/** A skill's text: frontmatter from lines, and a body. */
export function skillText(name: string, description: string, body = "Do it.\n", fields = ""): string {
  return `---\nname: ${name}\ndescription: ${description}\n${fields}---\n${body}`;
}
