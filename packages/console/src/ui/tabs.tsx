import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { classNames } from "./class-names.ts";

export interface TabsProps {
  readonly label: string;
  /** Each tab has its own address. */
  readonly tabs: readonly {
    readonly name: string;
    readonly href: string;
    readonly count?: number | undefined;
  }[];
  readonly current: string;
}

export function Tabs({ label, tabs, current }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the reason.
  useEffect(() => {
    const bar = row.current;
    const here = bar?.querySelector<HTMLElement>("[aria-current]");
    // Only the row is moved, never the page.
    if (bar && here) bar.scrollLeft = here.offsetLeft - (bar.clientWidth - here.clientWidth) / 2;
  }, [current]);
  return (
    <nav
      ref={row}
      aria-label={label}
      className="relative flex gap-1 overflow-x-auto border-b border-line px-4"
    >
      {tabs.map(({ name, href, count }) => (
        <Link
          key={name}
          href={href}
          aria-current={name === current ? "page" : undefined}
          className={classNames(
            "-mb-px flex items-center gap-1.5 border-b-2 px-2 py-2.5 text-sm font-medium whitespace-nowrap",
            name === current ? "border-accent text-ink" : "border-transparent text-muted hover:text-ink",
          )}
        >
          <span className="inline-block first-letter:uppercase">{name}</span>
          {count !== undefined && (
            <span className="rounded bg-raised px-1.5 text-xs text-muted tabular-nums">{count}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}
