import { call } from "../../../api/client.ts";

/** The visibility of a skill that is not public: internal while it has a grant, otherwise private. */
export async function closedVisibility(id: string): Promise<"internal" | "private"> {
  const { grants } = await call("GET /v1/skills/{id}/grants", { params: { id } });
  return grants.length > 0 ? "internal" : "private";
}
