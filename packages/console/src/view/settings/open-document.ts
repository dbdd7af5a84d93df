import { ApiError, csrf } from "../../api/client.ts";

export type GatewayDocument = "/reference" | "/openapi.json" | "/metrics";

const KEPT_MS = 60_000;

/**
 * Opens a gateway document in a new window. A link would not work: the gateway accepts the session cookie only with a
 * header that a link cannot send.
 */
export async function openDocument(path: GatewayDocument): Promise<void> {
  const response = await fetch(path, { headers: { "x-skillhold-csrf": csrf.read() } });
  if (!response.ok) throw new ApiError(await response.json());
  const address = URL.createObjectURL(await response.blob());
  window.open(address, "_blank", "noopener");
  window.setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
