import { call } from "../../../api/client.ts";

/** What a skill is when it is not public: internal as long as someone is granted it, and private else. */
export async function closedVisibility(id: string): Promise<"internal" | "private"> {
  const { grants } = await call("GET /v1/skills/{id}/grants", { params: { id } });
  return grants.length > 0 ? "internal" : "private";
}
