import { Ellipsis, type LucideIcon } from "lucide-react";
import { type ReactNode, useId, useRef } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

const GAP_PX = 4;
const EDGE_PX = 8;

export interface PopoverProps {
  readonly label: string;
  /** Beside the label; without the label where `isIcon`. */
  readonly icon?: LucideIcon;
  readonly isIcon?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A button with a native popover below it; Escape or an outside click closes the popover. */
export function Popover({ label, icon, isIcon = false, isWide = false, children }: PopoverProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const place = (button: HTMLElement) => {
    const { bottom, right } = button.getBoundingClientRect();
    if (box.current === null) return;
    box.current.style.top = `${bottom + GAP_PX}px`;
    const fromRight = document.documentElement.clientWidth - right;
    box.current.style.right = `${Math.max(EDGE_PX, Math.min(fromRight, roomFor(isWide)))}px`;
  };
  const shared = {
    popoverTarget: id,
    "aria-haspopup": "dialog",
    onClick: ({ currentTarget }: { readonly currentTarget: HTMLElement }) => place(currentTarget),
  } as const;
  return (
    <>
      {isIcon ? (
        <IconButton icon={icon ?? Ellipsis} label={label} look="plain" {...shared} />
      ) : (
        <Button {...(icon === undefined ? {} : { icon })} {...shared}>
          {label}
        </Button>
      )}
      <div
        ref={box}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={classNames(
          "fixed inset-auto m-0 max-h-[70dvh] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-panel p-1 text-ink shadow-pop",
          isWide ? "w-120" : "w-56",
        )}
      >
        {children}
      </div>
    </>
  );
}

/** How far from the right edge a box may stand and still be seen whole. */
function roomFor(isWide: boolean): number {
  const rem = 16;
  return document.documentElement.clientWidth - (isWide ? 30 : 14) * rem - EDGE_PX;
}

export interface MenuItemProps {
  readonly icon: LucideIcon;
  readonly children: ReactNode;
  readonly onClick: () => void;
  readonly isDanger?: boolean;
}

/** Something to do, in a popover; it closes it. */
export function MenuItem({ icon: Icon, children, onClick, isDanger = false }: MenuItemProps) {
  return (
    <button
      type="button"
      onClick={({ currentTarget }) => {
        currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
        onClick();
      }}
      className={classNames(
        "flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-left text-sm hover:bg-raised",
        isDanger && "text-bad",
      )}
    >
      <Icon className="size-4" aria-hidden />
      {children}
    </button>
  );
}
