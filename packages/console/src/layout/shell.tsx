import { LogOut, Menu, Monitor, Moon, Search, Sun } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { recent } from "../api/recent.ts";
import { useMe } from "../api/session.tsx";
import { useSignOut } from "../api/sign-out.ts";
import { chooseTheme, type Theme, themes, useTheme } from "../theme/theme.ts";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/text.tsx";
import { toastFailure } from "../ui/toast.tsx";
import { Attention } from "./attention.tsx";
import { Connection } from "./connection.tsx";
import { Palette } from "./palette.tsx";
import { paletteKey, Shortcuts, useShortcuts } from "./shortcut.tsx";
import { Sidebar } from "./sidebar.tsx";
import { StepUp } from "./step-up.tsx";

/** The frame around every view. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [overlay, setOverlay] = useState<"none" | "palette" | "menu" | "shortcuts">("none");
  const [place] = useLocation();
  const close = () => setOverlay("none");
  useShortcuts({ onPalette: () => setOverlay("palette"), onHelp: () => setOverlay("shortcuts") });
  useEffect(() => {
    // Newer browsers answer with a promise, which an effect must not.
    void window.scrollTo(0, 0);
    const skill = /^\/skills\/([^/]+)/.exec(place)?.[1];
    if (skill !== undefined) recent.add(skill);
  }, [place]);
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[14rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-panel md:flex">
        <Brand />
        <div className="px-2">
          <PaletteButton onClick={() => setOverlay("palette")} />
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto">
          <Sidebar />
        </div>
        <Foot />
      </aside>
      <header className="sticky top-0 z-30 flex h-12 items-center justify-between gap-2 border-b border-line bg-panel px-3 md:hidden">
        <IconButton icon={Menu} label="Views" onClick={() => setOverlay("menu")} />
        <Brand />
        <IconButton icon={Search} label="Search skills and commands" onClick={() => setOverlay("palette")} />
      </header>
      <main id="main" tabIndex={-1} className="min-w-0 outline-none">
        {children}
      </main>
      <Palette isOpen={overlay === "palette"} onClose={close} />
      <Shortcuts isOpen={overlay === "shortcuts"} onClose={close} />
      <StepUp />
      <Attention />
      <Dialog isOpen={overlay === "menu"} onClose={close} title="Views">
        <Sidebar onChoose={close} />
        <Foot />
      </Dialog>
    </div>
  );
}

function Brand() {
  return (
    <div className="flex h-12 items-center gap-2 px-4 font-semibold tracking-tight">
      <img src="/icon.svg" alt="" className="size-5" />
      Skillhold
    </div>
  );
}

function PaletteButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-bg px-2 text-sm text-faint hover:border-line-strong"
    >
      <Search className="size-3.5" aria-hidden />
      <span className="flex-1 text-left">Jump to…</span>
      <Kbd>{paletteKey}</Kbd>
    </button>
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const satisfies Record<Theme, unknown>;

function Foot() {
  const me = useMe();
  const theme = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const { leave } = useSignOut();
  return (
    <div className="border-t border-line px-3 py-2">
      <div className="flex items-center justify-between">
        <Connection />
        <div className="flex">
          <IconButton
            icon={themeIcons[theme]}
            label={`Theme: ${theme}. Switch to ${next}`}
            onClick={() => chooseTheme(next)}
          />
          <IconButton icon={LogOut} label="Sign out" onClick={() => void leave().catch(toastFailure)} />
        </div>
      </div>
      <p className="truncate text-xs text-muted" title={`${me.user}, ${me.role}`}>
        {me.user} · {me.role}
      </p>
    </div>
  );
}
