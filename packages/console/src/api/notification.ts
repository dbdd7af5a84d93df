import { useSyncExternalStore } from "react";

/** `blocked`: the browser denies notifications for this site. */
export type NotificationState = "unsupported" | "blocked" | "off" | "on";

const KEY = "skillhold.notifications";
const listeners = new Set<() => void>();

/** Browsers offer notifications only to secure pages. */
function stateOf(): NotificationState {
  if (!("Notification" in window) || !window.isSecureContext) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
}

function changed(): void {
  for (const listener of listeners) listener();
}

/** Asks the browser for permission, if it has not decided. Contract: called by a click. */
export async function switchNotifications(isOn: boolean): Promise<NotificationState> {
  if (isOn && stateOf() === "off" && Notification.permission === "default")
    await Notification.requestPermission();
  if (isOn) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
  changed();
  return stateOf();
}

export function useNotifications(): NotificationState {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, stateOf);
}

export interface Notice {
  /** Several tabs show a notice with the same id once. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly onOpen: () => void;
}

/** Shows a notice of the desktop, if the user switched them on. */
export function notify({ id, title, text, onOpen }: Notice): void {
  if (stateOf() !== "on") return;
  try {
    const notification = new Notification(title, { body: text, tag: id, icon: "/icon.svg" });
    notification.addEventListener("click", () => {
      notification.close();
      window.focus();
      onOpen();
    });
  } catch {
    // Browsers on phones have the API and show notices only from a service worker.
  }
}
