import { queries } from "../../api/use-api.ts";
import { toastFailure } from "../../ui/toast.tsx";

export type Act = (id: string) => Promise<unknown>;

/** Runs the action on each skill in order and reports each failure. Returns the ids that succeeded. */
export async function doAll(ids: readonly string[], act: Act): Promise<readonly string[]> {
  const good: string[] = [];
  for (const id of ids) {
    try {
      await act(id);
      good.push(id);
    } catch (error) {
      toastFailure(error);
    }
  }
  await queries.invalidateQueries({ queryKey: ["GET /v1/skills"] });
  return good;
}
