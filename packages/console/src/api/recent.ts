const KEY = "skillhold.recent";
const MOST = 8;

/** The skills that were looked at last, the latest first; kept in this browser alone. */
export const recent = {
  read: (): readonly string[] => readIds(localStorage.getItem(KEY)),
  add: (id: string) => localStorage.setItem(KEY, JSON.stringify(withFirst(recent.read(), id))),
  forget: () => localStorage.removeItem(KEY),
};

export function withFirst(ids: readonly string[], id: string): readonly string[] {
  return [id, ...ids.filter((each) => each !== id)].slice(0, MOST);
}

/** What was kept, as far as it can be read: anything on this origin may have written there. */
export function readIds(text: string | null): readonly string[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}
