import type { SkillRow } from "@skillhold/protocol/http";
import { call } from "../../api/client.ts";
import { queries } from "../../api/use-api.ts";
import { toast, toastFailure } from "../../ui/toast.tsx";

type Toggle = (row: SkillRow, enabled: boolean) => void;

/** Switches a skill; the list shows it before the gateway has said so, and takes it back when that fails. */
export function useToggle(): Toggle {
  const toggle: Toggle = (row, enabled) => {
    show(row, enabled);
    void change(row, enabled, () => toggle(row, !enabled));
  };
  return toggle;
}

async function change(row: SkillRow, enabled: boolean, undo: () => void): Promise<void> {
  const { id } = row.entry;
  try {
    const { missing, status } = await call("POST /v1/skills/{id}/toggle", {
      params: { id },
      body: { enabled },
    });
    const lacks = enabled && missing.length > 0 ? { detail: `Missing: ${missing.join(", ")}` } : {};
    toast(`${id} is ${enabled ? "on" : "off"}${status === "archived" ? ", and is archived" : ""}`, {
      undo,
      ...lacks,
    });
  } catch (error) {
    show(row, !enabled);
    toastFailure(error);
  } finally {
    await queries.invalidateQueries({ queryKey: ["GET /v1/skills"] });
  }
}

function show({ entry: { id } }: SkillRow, enabled: boolean): void {
  const switched = (row: SkillRow): SkillRow =>
    row.entry.id === id && row.registry !== undefined
      ? { ...row, registry: { ...row.registry, enabled } }
      : row;
  queries.setQueriesData<unknown>({ queryKey: ["GET /v1/skills"] }, (before: unknown) =>
    // The list of all skills is kept as rows; other answers of the route are asked for again.
    Array.isArray(before) ? (before as SkillRow[]).map(switched) : before,
  );
}
