import type { ReactNode } from "react";
import { useTitle } from "./title.ts";

export interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A view: its title, actions and content. */
export function Page({ title, about, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="mx-auto w-full max-w-6xl pb-24">
      <header className="flex flex-wrap items-start justify-between gap-3 px-4 pt-6 pb-4">
        <div className="min-w-0 space-y-1">
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {about !== undefined && <div className="max-w-2xl text-sm text-muted">{about}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A box on a page. */
export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section aria-label={title} className="mx-4 mb-4 overflow-clip rounded-lg border border-line bg-panel">
      {title !== undefined && (
        <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
