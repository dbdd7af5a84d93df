import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { type AgentTool, answerTool, didYouMean, suggest, type ToolResult } from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { z } from "zod";
import type { Exchange } from "./client-asker.ts";
import { viewClient } from "./client-view.ts";
import type { McpConnection } from "./connection.ts";
import { orProtocolError } from "./failure.ts";
import { reportProgress } from "./progress.ts";
import { QuestionState, readAnswer, toInputRequired } from "./question.ts";
import { toCallToolResult } from "./tool-answer.ts";
import { running, type ToolRow, toolTable } from "./tool-table.ts";

/** Serves the tools of a connection. They check their input themselves, and say what is wrong with it in their answer. */
export function serveTools(
  mcp: McpServer,
  connection: McpConnection,
  onError: (error: unknown) => void,
): void {
  const { server } = mcp;
  server.registerCapabilities({ tools: { listChanged: true } });
  server.setRequestHandler("tools/list", async () => ({
    tools: (await connection.listTools()).map((tool) => describe(tool)),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) =>
    orProtocolError(() =>
      connection.attend(() => callTool(params.name, params.arguments, { mcp, connection, ctx, onError })),
    ),
  );
}

interface CallContext {
  readonly mcp: McpServer;
  readonly connection: McpConnection;
  readonly ctx: ServerContext;
  readonly onError: (error: unknown) => void;
}

async function callTool(
  name: string,
  input: unknown,
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { connection, ctx, onError } = context;
  const { signal } = ctx.mcpReq;
  const { stop, onWait, ...progress } = reportProgress(ctx, onError);
  const exchange: Exchange = { ...openExchange(context), ...(onWait === undefined ? {} : { onWait }) };
  try {
    const answer = () =>
      answerTool(async () => {
        const tool = await connection.findTool(name, signal);
        if (tool === undefined) throw unknownTool(name, await connection.listTools());
        return tool.run(inputFor(tool, input, connection), { signal, ...progress });
      });
    const result = await connection.asker.during(exchange, () =>
      observed(connection, { name, input, ctx }, answer),
    );
    if (exchange.question === undefined || result.ok)
      return toCallToolResult(result, connection.skills.approvalHint);
    const { key } = exchange.question;
    return toInputRequired(exchange.question, await connection.states.mint({ key }, ctx));
  } finally {
    stop();
  }
}

function observed(
  { skills, session }: McpConnection,
  { name, input, ctx }: Pick<CallContext, "ctx"> & { readonly name: string; readonly input: unknown },
  answer: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (skills.observe === undefined) return answer();
  const { id, _meta: meta = {} } = ctx.mcpReq;
  return skills.observe({ tool: neutralText(name, 64), session, input, request: String(id), meta }, answer);
}

/** What the client says of itself, and the answer that it came back with. */
function openExchange({ mcp, connection, ctx }: CallContext): Exchange {
  const canAsk = () => viewClient(mcp.server, ctx).canAsk;
  const came = ctx.mcpReq.requestState();
  const state = came === undefined ? undefined : QuestionState.safeParse(came).data;
  if (state === undefined) return { canAsk };
  const by = `${connection.viewer.user ?? "someone"} through ${viewClient(mcp.server, ctx).name}`;
  return { canAsk, answered: { key: state.key, answer: readAnswer(ctx.mcpReq.inputResponses, by) } };
}

/** Where conversations share a connection, a text that one has read may be new to the next. */
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

/** A tool as it is listed; a schema is made once, since lists are asked for often. */
function describe(tool: AgentTool): Tool {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const made = toTool(tool);
  described.set(tool, made);
  return made;
}

function toTool({ name, description, inputSchema, owner }: AgentTool): Tool {
  const row = owner === undefined ? rows.get(name) : undefined;
  // Every tool takes an object: ours by their schemas, those of skills because others are not listed.
  if (row === undefined)
    return { name, description, inputSchema: { ...inputSchema, type: "object" }, annotations: running };
  const { $schema: _dialect, ...input } = inputSchema;
  const { title, annotations, output } = row;
  return {
    name,
    title,
    description,
    inputSchema: { ...input, type: "object" },
    outputSchema: outputSchemaOf(output),
    annotations: { title, ...annotations },
  };
}

function outputSchemaOf(output: ToolRow["output"]): NonNullable<Tool["outputSchema"]> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(output, {
    io: "output",
    override: ({ jsonSchema }) => {
      // That there may be more is what a schema says that says nothing.
      delete jsonSchema.additionalProperties;
    },
  });
  return { ...schema, type: "object" };
}
