import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** Escape and the cross do not close it: what it shows is shown only once. */
  readonly isKept?: boolean;
}

/** The browser's own dialog: it keeps the focus, and Escape closes it. */
export function Dialog({
  isOpen,
  onClose,
  title,
  children,
  footer,
  isWide = false,
  isKept = false,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (isOpen && dialog?.open === false) {
      dialog.showModal();
      // The browser begins at the button that closes it.
      dialog.querySelector<HTMLElement>("input, textarea, select")?.focus();
    }
    if (!isOpen) dialog?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        if (isKept) event.preventDefault();
      }}
      onKeyDown={(event) => {
        // The browser closes a dialog on the second Escape, even when the first was prevented.
        if (isKept && event.key === "Escape") event.preventDefault();
      }}
      className={classNames(
        "m-auto max-h-[85dvh] w-[calc(100vw-2rem)] flex-col overflow-hidden rounded-xl border border-line bg-panel shadow-pop open:flex",
        isWide ? "max-w-4xl" : "max-w-lg",
      )}
    >
      {isOpen && (
        <>
          <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-3">
            <h2 id={id} className="font-semibold">
              {title}
            </h2>
            {!isKept && <IconButton icon={X} label="Close" onClick={onClose} />}
          </header>
          <div className="min-h-0 overflow-y-auto px-4 py-4">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
              {footer}
            </footer>
          )}
        </>
      )}
    </dialog>
  );
}
