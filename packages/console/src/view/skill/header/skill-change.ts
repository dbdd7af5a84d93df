import { call } from "../../../api/client.ts";
import { saveFile } from "../../../ui/save-file.ts";
import { refreshSkill } from "../../../ui/switch-skill.ts";
import { toast, toastFailure } from "../../../ui/toast.tsx";

/** Saves the current revision as a ZIP. */
export async function downloadSkill(id: string, revision: number | undefined): Promise<void> {
  try {
    const blob = await call("GET /v1/skills/{id}/archive", { params: { id }, query: { format: "zip" } });
    saveFile(blob, revision === undefined ? `${id}.zip` : `${id}-r${revision}.zip`);
  } catch (error) {
    toastFailure(error);
  }
}

/** Archives a skill, or takes it out of the archive. */
export async function setStatus(id: string, status: "active" | "archived"): Promise<void> {
  const other = status === "active" ? "archived" : "active";
  try {
    await call("POST /v1/skills/{id}/status", { params: { id }, body: { status } });
    toast(status === "archived" ? `${id} is archived` : `${id} is active again`, {
      undo: () => void setStatus(id, other),
    });
  } catch (error) {
    toastFailure(error);
  }
  await refreshSkill();
}

/** Takes a skill away; the toast brings it back. */
export async function removeSkill(id: string, onDone: () => void): Promise<void> {
  try {
    await call("DELETE /v1/skills/{id}", { params: { id } });
    onDone();
    toast(`${id} deleted`, { undo: () => void restoreSkill(id) });
  } catch (error) {
    toastFailure(error);
  }
  await refreshSkill();
}

export async function restoreSkill(id: string): Promise<void> {
  try {
    await call("POST /v1/skills/{id}/restore", { params: { id } });
    toast(`${id} restored`);
  } catch (error) {
    toastFailure(error);
  }
  await refreshSkill();
}
