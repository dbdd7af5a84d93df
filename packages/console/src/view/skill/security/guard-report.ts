import type { Answer } from "../../../api/client.ts";

export type GuardReport = Answer<"GET /v1/skills/{id}/guard">;
export type GuardFinding = GuardReport["findings"][number];
