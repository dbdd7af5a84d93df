import { basename } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolResult } from "@skillhold/core/session";
import { errorTable } from "@skillhold/protocol/error";

/** Where a client that reads codes finds that of a failure; there is no other place for it in a result. */
const ERROR_META = "skillhold/error";

/** What a tool gave, as MCP has it: text for a model, data beside it, failures as results that say so. */
export function toCallToolResult(result: ToolResult, approvalHint: string | undefined): CallToolResult {
  if (result.ok)
    return {
      content: [{ type: "text", text: result.text }],
      ...(isRecord(result.data) ? { structuredContent: forClients(result.data) } : {}),
    };
  const { code, message } = result.error;
  const isGeneral = code === "APPROVAL_REQUIRED" && result.error.hint === errorTable.APPROVAL_REQUIRED.hint;
  const hint = isGeneral && approvalHint !== undefined ? approvalHint : result.error.hint;
  return {
    content: [{ type: "text", text: `${code}: ${message}\n${hint}` }],
    isError: true,
    _meta: { [ERROR_META]: { code, message, hint } },
  };
}

/** Where the files of a run lie is the host's matter; the name of the folder is enough to ask for them. */
function forClients(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { outputs, ...rest } = data;
  return typeof outputs === "string" ? { ...rest, outputs: basename(outputs) } : { ...data };
}

function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
