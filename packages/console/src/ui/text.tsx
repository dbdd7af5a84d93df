import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import { classNames } from "./class-names.ts";

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });

/** How long ago it was; the tip has the exact time. */
export function Ago({ at }: { readonly at: string }) {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  const text = unit === undefined ? "just now" : relative.format(Math.round(seconds / unit[1]), unit[0]);
  return (
    <time dateTime={at} title={new Date(at).toISOString()} className="whitespace-nowrap">
      {text}
    </time>
  );
}

/** A text to copy, such as an id or a command. */
export function CopyText({
  text,
  label,
  isShort = false,
}: {
  readonly text: string;
  readonly label?: string;
  readonly isShort?: boolean;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1500);
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={`Copy ${label ?? text}`}
      className="group -mx-1 inline-flex max-w-[calc(100%+0.5rem)] items-center gap-1 rounded px-1 font-mono text-xs text-muted hover:bg-raised hover:text-ink"
    >
      <span className="truncate">{isShort ? shortHash(text) : text}</span>
      <Icon className="size-3 shrink-0 opacity-60 group-hover:opacity-100" aria-hidden />
      <span className="sr-only" aria-live="polite">
        {isCopied ? "Copied" : ""}
      </span>
    </button>
  );
}

export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, "").slice(0, 10);
}

export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="rounded border border-line-strong bg-raised px-1 font-mono text-[0.6875rem] text-muted">
      {children}
    </kbd>
  );
}

export function Mono({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return <code className={classNames("font-mono text-[0.92em]", className)}>{children}</code>;
}

const sizes = ["B", "kB", "MB", "GB"] as const;

/** In steps of 1,024, as limits have it: 20 MB is 20 MB. */
export function formatBytes(bytes: number): string {
  const at = Math.min(sizes.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** at).toFixed(1))} ${sizes[at]}`;
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
