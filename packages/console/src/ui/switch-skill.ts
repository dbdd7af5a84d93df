import type { SkillRow } from "@skillhold/protocol/http";
import { call } from "../api/client.ts";
import { queries } from "../api/use-api.ts";
import { toast, toastFailure } from "./toast.tsx";

/** Switches a skill; it is shown before the gateway has said so, and taken back when that fails. */
export async function switchSkill(id: string, enabled: boolean): Promise<void> {
  show(id, enabled);
  try {
    const { missing, status } = await call("POST /v1/skills/{id}/toggle", {
      params: { id },
      body: { enabled },
    });
    const lacks = enabled && missing.length > 0 ? { detail: `Missing: ${missing.join(", ")}` } : {};
    toast(`${id} is ${enabled ? "on" : "off"}${status === "archived" ? ", and is archived" : ""}`, {
      undo: () => void switchSkill(id, !enabled),
      ...lacks,
    });
  } catch (error) {
    show(id, !enabled);
    toastFailure(error);
  } finally {
    await refreshSkill();
  }
}

/** Refetches the skill queries after a change. */
export async function refreshSkill(): Promise<void> {
  const stale = ["GET /v1/skills", "GET /v1/skills/{id}", "GET /v1/skills/{id}/access"] as const;
  await Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

function show(id: string, enabled: boolean): void {
  const switched = <T extends SkillRow>(row: T): T =>
    row.entry.id === id && row.registry !== undefined
      ? { ...row, registry: { ...row.registry, enabled } }
      : row;
  queries.setQueryData<SkillRow>(
    ["GET /v1/skills/{id}", { params: { id } }],
    (before) => before && switched(before),
  );
  queries.setQueriesData<unknown>({ queryKey: ["GET /v1/skills"] }, (before: unknown) =>
    // The list of all skills is kept as rows; other answers of the route are asked for again.
    Array.isArray(before) ? (before as SkillRow[]).map(switched) : before,
  );
}
