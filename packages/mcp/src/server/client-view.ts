import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import { z } from "zod";

/** The client's description: newer revisions send it with each request, older ones once at the start. */
export interface ClientView {
  /** Whether the client can show a form to its user. */
  readonly canAsk: boolean;
  readonly name: string;
}

const Capabilities = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
});
const Info = z.looseObject({ name: z.string() });

export function viewClient(server: Server, ctx: ServerContext): ClientView {
  const envelope: Readonly<Record<string, unknown>> = { ...ctx.mcpReq.envelope };
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = Capabilities.safeParse(capabilities).data ?? {};
  const info = Info.safeParse(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()).data;
  return {
    // A client that lists no kind of elicitation supports forms.
    canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    name: neutralText(info?.name ?? "an MCP client", 64),
  };
}
