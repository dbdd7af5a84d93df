const KEY = "skillhold.renewed";
const PAUSE_MS = 10_000;

/**
 * Loads the page anew when a part of it is not there: a newer gateway has a newer console, whose files have other names.
 * A part that is still not there after that is a failure.
 */
export function startRenewal(): void {
  window.addEventListener("vite:preloadError", () => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < PAUSE_MS) return;
    sessionStorage.setItem(KEY, String(Date.now()));
    window.location.reload();
  });
}
