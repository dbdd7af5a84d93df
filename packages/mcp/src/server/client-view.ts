import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { neutralText } from "@skillhold/core/text";
import { z } from "zod";

/** What a client says of itself: with each request on newer revisions, once at the start on older ones. */
export interface ClientView {
  /** Whether it can put a form to its user. */
  readonly canAsk: boolean;
  readonly name: string;
}

const Capabilities = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
});
const Info = z.looseObject({ name: z.string() });

export function viewClient(server: Server, ctx: ServerContext): ClientView {
  const envelope: Readonly<Record<string, unknown>> = { ...ctx.mcpReq.envelope };
  const said = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = Capabilities.safeParse(said).data ?? {};
  const info = Info.safeParse(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()).data;
  return {
    // A client that names no kind of question means forms.
    canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    name: neutralText(info?.name ?? "an MCP client", 64),
  };
}
