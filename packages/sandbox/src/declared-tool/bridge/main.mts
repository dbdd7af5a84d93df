import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { installModuleHook } from "./module-hook.mts";
import { type LoadedTool, loadTools, type ToolDescription } from "./tool-loader.mts";

/**
 * The program that runs a skill's JavaScript tools. It runs inside the sandbox beside untrusted code, with
 * the same rights: it imports only Node's modules and files of this folder, and the host does not trust its
 * messages. Requests arrive on descriptor 3 and replies leave on 4, one JSON line each; other output is a
 * log.
 */
interface Request {
  readonly id: number;
  readonly method: "load" | "call" | "cancel";
  readonly files: readonly string[];
  readonly moduleMs: number;
  readonly lineBytes: number;
  readonly toolBytes: number;
  readonly toolValues: number;
  readonly name: string;
  readonly args: unknown;
}

interface Problem {
  readonly file: string;
  readonly error: string;
  readonly isLate?: boolean;
}

class LateModule extends Error {}

const [skill = "", zod = ""] = process.argv.slice(2);
const requests = new Socket({ fd: 3, readable: true, writable: false });
const replies = new Socket({ fd: 4, readable: false, writable: true });
const tools = new Map<string, LoadedTool>();
const running = new Map<number, AbortController>();
const exit = process.exit.bind(process);
// Bound before tools run, because they may replace these methods.
const outputs = [process.stdout, process.stderr].map((stream) => ({ write: stream.write.bind(stream) }));
let lineBytes = Number.POSITIVE_INFINITY;

// A module that ends the process would take the other tools with it.
process.exit = () => {
  throw new Error("A tool cannot end its process.");
};
process.on("unhandledRejection", (reason) =>
  process.stderr.write(`Unhandled rejection: ${String(reason)}\n`),
);
installModuleHook(zod);
requests.on("close", () => void finish());
replies.on("error", () => exit(0));
createInterface({ input: requests }).on("line", (line) => {
  // The host writes only requests.
  answer(JSON.parse(line) as Request).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
  });
});

/** Writes the rest of the output, because Node drops pending writes when it exits. */
async function finish(): Promise<void> {
  await Promise.all(outputs.map((output) => new Promise((resolve) => output.write("", resolve))));
  exit(0);
}

async function answer(request: Request): Promise<void> {
  switch (request.method) {
    case "load":
      return load(request);
    case "call":
      return call(request);
    case "cancel":
      running.get(request.id)?.abort(new Error("The call was canceled."));
  }
}

async function load(request: Request): Promise<void> {
  lineBytes = request.lineBytes;
  const problems: Problem[] = [];
  const descriptions: ToolDescription[] = [];
  let bytes = 0;
  let values = 0;
  for (const file of request.files) {
    // If the process dies now, the host knows the module.
    send({ type: "loading", file });
    try {
      const found = await withDeadline(readModule(file), request.moduleMs);
      problems.push(...found.problems.map((error) => ({ file, error })));
      for (const tool of found.tools) add(tool);
    } catch (error) {
      const isLate = error instanceof LateModule;
      problems.push({ file, error: describeError(error).message, ...(isLate ? { isLate } : {}) });
    }
  }
  send({ type: "ready", tools: descriptions, problems });

  function add(tool: LoadedTool): void {
    const { file } = tool.description;
    if (tools.has(tool.name)) {
      problems.push({ file, error: `Another tool has the name ${tool.name}.` });
      return;
    }
    const text = JSON.stringify(tool.description);
    const more = { bytes: bytes + Buffer.byteLength(text), values: values + countValues(text) };
    if (more.bytes > request.toolBytes || more.values > request.toolValues) {
      problems.push({ file, error: `${tool.name}: the tool descriptions of the skill are too large.` });
      return;
    }
    ({ bytes, values } = more);
    tools.set(tool.name, tool);
    descriptions.push(tool.description);
  }
}

/** Counts like the host does. */
function countValues(text: string): number {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/[,[{]/g)?.length ?? 0;
}

async function readModule(file: string) {
  // A module namespace is an object with the exports.
  const module = (await import(pathToFileURL(join(skill, file)).href)) as Readonly<Record<string, unknown>>;
  return loadTools(module, file);
}

/** A module may block forever at its top level; the others must not wait for it. */
async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new LateModule("The module did not load in time.")), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function call({ id, name, args }: Request): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`No tool has the name ${name}.`);
    const result = await tool.run(args, { id, signal: controller.signal });
    send({ id, ok: true, result: result ?? null });
  } catch (error) {
    send({ id, ok: false, error: describeError(error) });
  } finally {
    running.delete(id);
  }
}

/**
 * Far more than the host shows, and far less than the line limit: an error that does not fit would give no
 * reply.
 */
const ERROR_LENGTH = 16_384;

function describeError(error: unknown): { readonly code: string; readonly message: string } {
  const isError = error instanceof Error;
  const message = isError ? error.message : error;
  return { code: isError ? error.name : "Error", message: String(message).slice(0, ERROR_LENGTH) };
}

/** Throws when the message is too long or not JSON; the caller replies with an error instead. */
function send(message: object): void {
  const line = `${JSON.stringify(message)}\n`;
  if (Buffer.byteLength(line) > lineBytes) throw new Error(`The result is larger than ${lineBytes} bytes.`);
  replies.write(line);
}
