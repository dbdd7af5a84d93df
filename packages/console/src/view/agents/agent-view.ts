import type { Answer } from "../../api/client.ts";

export type AgentView = Answer<"GET /v1/agents">["agents"][number];
