import { basename } from "node:path";
import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Timers } from "@skillhold/core/port";
import { type AgentTool, answerTool, type ToolResult, type ToolRunOptions } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { errorTable } from "@skillhold/protocol/error";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { z } from "zod";
import { withCatalogue } from "./catalogue.ts";
import type { Exchange } from "./client-asker.ts";
import { viewClient } from "./client-view.ts";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import type { McpSkills } from "./port.ts";
import { QuestionState, readApproval, toInputRequired } from "./question.ts";
import { running, type ToolRow, toolTable } from "./tool-table.ts";

/** Serves the tools of a connection. The tools validate their input themselves and report errors in their result. */
export function serveTools(mcp: McpServer, connected: Promise<McpConnection>, ports: ToolPorts): void {
  const { server } = mcp;
  server.registerCapabilities({ tools: { listChanged: true } });
  server.setRequestHandler("tools/list", () =>
    orProtocolError(async () => ({ tools: await listTools(await connected) })),
  );
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    orProtocolError(async () => {
      const connection = await connected;
      const context = { ...ports, mcp, connection, ctx };
      return await connection.attend(() => callTool(params.name, params.arguments, context));
    }),
  );
}

async function listTools(connection: McpConnection): Promise<Tool[]> {
  const tools = (await connection.listTools()).map((tool) => describe(tool, connection.skills));
  return await Promise.all(
    tools.map((tool) => (tool.name === "read_skill" ? withCatalogue(tool, connection) : tool)),
  );
}

interface ToolPorts {
  readonly onError: (error: unknown) => void;
  readonly timers: Timers;
}

interface CallContext extends ToolPorts {
  readonly mcp: McpServer;
  readonly connection: McpConnection;
  readonly ctx: ServerContext;
}

async function callTool(
  name: string,
  input: unknown,
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { connection, ctx } = context;
  const { signal } = ctx.mcpReq;
  const { stop, onWait, ...progress } = reportProgress(ctx, context);
  const exchange: Exchange = { ...openExchange(context), ...(onWait === undefined ? {} : { onWait }) };
  try {
    const run = () =>
      answerTool(async () => {
        const tool = await connection.findTool(name, signal);
        if (tool === undefined) throw unknownTool(name, await connection.listTools());
        return tool.run(inputFor(tool, input, connection), { signal, ...progress });
      });
    const result = await connection.asker.during(exchange, () =>
      observed(connection, { name, input, ctx }, run),
    );
    if (exchange.question === undefined || result.ok) return toCallToolResult(result, connection.skills);
    const { key } = exchange.question;
    return toInputRequired(exchange.question, await connection.states.mint({ key }, ctx));
  } finally {
    stop();
  }
}

function observed(
  { skills, session }: McpConnection,
  { name, input, ctx }: Pick<CallContext, "ctx"> & { readonly name: string; readonly input: unknown },
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (skills.observe === undefined) return run();
  const { id, _meta: meta = {} } = ctx.mcpReq;
  return skills.observe({ tool: neutralText(name, 64), session, input, request: String(id), meta }, run);
}

/** The client's abilities, and the answer that it returned. */
function openExchange({ mcp, connection, ctx }: CallContext): Exchange {
  const canAsk = () => viewClient(mcp.server, ctx).canAsk;
  const returned = ctx.mcpReq.requestState();
  const state = returned === undefined ? undefined : QuestionState.safeParse(returned).data;
  if (state === undefined) return { canAsk };
  const by = `${connection.viewer.user ?? "someone"} through ${viewClient(mcp.server, ctx).name}`;
  return { canAsk, answered: { key: state.key, answer: readApproval(ctx.mcpReq.inputResponses, by) } };
}

/** On a shared connection, a text that one conversation has read may be new to another. */
function inputFor({ name }: AgentTool, input: unknown, { isShared }: McpConnection): unknown {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isShared && name === "read_skill" && isObject ? { ...input, again: true } : input;
}

function unknownTool(name: string, tools: readonly AgentTool[]): ProtocolError {
  const names = tools.map((tool) => tool.name);
  const advice = didYouMean(suggest(name, names)) ?? `The tools are ${names.join(", ")}.`;
  const message = `There is no tool ${neutralText(name, 64)}. ${advice}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

const rows: ReadonlyMap<string, ToolRow> = new Map(Object.entries(toolTable));
const described = new WeakMap<AgentTool, Tool>();

/** The listed form of a tool, built once because lists are requested often. Contract: each connection has its own tools. */
function describe(tool: AgentTool, { isStructured = false }: McpSkills): Tool {
  const cached = described.get(tool);
  if (cached !== undefined) return cached;
  const built = toTool(tool, isStructured);
  described.set(tool, built);
  return built;
}

function toTool({ name, description, inputSchema, owner }: AgentTool, isStructured: boolean): Tool {
  const row = owner === undefined ? rows.get(name) : undefined;
  // Every tool takes an object: ours by their schemas, and declared tools without one are not listed.
  if (row === undefined)
    return { name, description, inputSchema: { ...inputSchema, type: "object" }, annotations: running };
  const { $schema: _dialect, ...input } = inputSchema;
  const { title, annotations, output } = row;
  return {
    name,
    title,
    description,
    inputSchema: { ...input, type: "object" },
    ...(isStructured ? { outputSchema: outputSchemaOf(output) } : {}),
    annotations: { title, ...annotations },
  };
}

function outputSchemaOf(output: ToolRow["output"]): NonNullable<Tool["outputSchema"]> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(output, {
    io: "output",
    override: ({ jsonSchema }) => {
      // Additional properties are allowed by default.
      delete jsonSchema.additionalProperties;
    },
  });
  return { ...schema, type: "object" };
}

/** The `_meta` key of the error code, which a tool result has no other field for. */
const ERROR_META = "skillhold/error";

/**
 * Converts a tool result to MCP: text for the model, and failures as error results. Structured data is sent only on
 * request, because several clients then show the model the data instead of the text, or both.
 */
export function toCallToolResult(
  result: ToolResult,
  { isStructured = false, approvalHint }: Pick<McpSkills, "isStructured" | "approvalHint">,
): CallToolResult {
  if (result.ok)
    return {
      content: [{ type: "text", text: result.text }],
      ...(isStructured && isRecord(result.data) ? { structuredContent: withoutPaths(result.data) } : {}),
    };
  const { code, message } = result.error;
  const hasDefaultHint =
    code === "APPROVAL_REQUIRED" && result.error.hint === errorTable.APPROVAL_REQUIRED.hint;
  const hint = hasDefaultHint && approvalHint !== undefined ? approvalHint : result.error.hint;
  return {
    content: [{ type: "text", text: `${code}: ${message}\n${hint}` }],
    isError: true,
    _meta: { [ERROR_META]: { code, message, hint } },
  };
}

/** Replaces the path of the output folder by its name, because paths of the host are not disclosed. */
function withoutPaths(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { outputs, ...rest } = data;
  return typeof outputs === "string" ? { ...rest, outputs: basename(outputs) } : { ...data };
}

function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

/** The minimum time between two notifications for output. */
const MIN_INTERVAL_MS = 250;
/** The heartbeat, for clients that time out without progress. */
const HEARTBEAT_MS = 5000;
const LINE_LENGTH = 200;
const RUNNING = "Still running.";
const WAITING = "Waiting for an approval.";

/** Reports the progress of a call to a client that asked for it. */
export interface CallProgress {
  readonly onOutput?: NonNullable<ToolRunOptions["onOutput"]>;
  readonly onWait?: (isWaiting: boolean) => void;
  stop(): void;
}

export function reportProgress({ mcpReq }: ServerContext, { onError, timers }: ToolPorts): CallProgress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop: () => {} };
  const started = timers.now();
  let lastAt = started;
  let last = 0;
  const notify = (message: string) => {
    const now = timers.now();
    // The value must increase, even for two notifications in one millisecond.
    last = Math.max(last + 1, Math.round(now - started));
    lastAt = now;
    const params = { progressToken, progress: last, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(onError);
  };
  let state = RUNNING;
  const stop = timers.every(HEARTBEAT_MS, () => notify(state));
  return {
    onOutput: (_stream, chunk) => {
      if (timers.now() - lastAt < MIN_INTERVAL_MS) return;
      const line = new TextDecoder().decode(chunk).trimEnd().split("\n").at(-1) ?? "";
      notify(neutralText(line, LINE_LENGTH));
    },
    onWait: (isWaiting) => {
      state = isWaiting ? WAITING : RUNNING;
      if (isWaiting) notify(state);
    },
    stop,
  };
}
