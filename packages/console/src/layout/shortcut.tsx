import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useMe } from "../api/session.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/text.tsx";
import { views } from "./view-table.ts";

export interface ShortcutActions {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

const GO_MS = 1200;

/** Shortcuts that work outside text fields. A view marks its search field with `data-search`. */
export function useShortcuts({ onPalette, onHelp }: ShortcutActions): void {
  const [, go] = useLocation();
  const { role } = useMe();
  // A ref, so that a render between two keys does not break the sequence.
  const wentAt = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        onPalette();
        return;
      }
      if (isWriting(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      const view = views.find(({ key, roles }) => key === event.key && roles.includes(role));
      const isGoing = Date.now() - wentAt.current < GO_MS;
      if (isGoing && view !== undefined) go(view.href);
      wentAt.current = event.key === "g" && !isGoing ? Date.now() : 0;
      if (event.key === "?") onHelp();
      if (event.key === "/") focusSearch(event);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [go, onPalette, onHelp, role]);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
}

function isWriting({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest("dialog") !== null
  );
}

/** The palette shortcut as the user's keyboard labels it. */
export const paletteKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

const keys: readonly (readonly [string, string])[] = [
  [paletteKey, "Search skills and commands"],
  ["/", "Focus the search field"],
  ["j / k", "Next / previous row"],
  ["x", "Select row"],
  ["Enter", "Open row"],
  ["?", "Show shortcuts"],
];

export function Shortcuts({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts">
      <ShortcutList />
    </Dialog>
  );
}

/** The shortcuts available to the signed-in user. */
export function ShortcutList() {
  const { role } = useMe();
  const ways = views.filter(({ roles }) => roles.includes(role));
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
      {[...keys, ...ways.map(({ key, name }) => [`g ${key}`, `Go to ${name}`] as const)].map(
        ([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
