import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

const tones = {
  neutral: "bg-raised text-muted",
  accent: "bg-accent-soft text-accent-strong",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
} as const;
export type Tone = keyof typeof tones;

export interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

export function Badge({ tone = "neutral", title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex h-5 items-center gap-1 rounded px-1.5 text-xs font-medium whitespace-nowrap",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

const dots = {
  neutral: "bg-faint",
  accent: "bg-accent",
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
  info: "bg-info",
} as const;

/** A color for a state; the text beside it names the state. */
export function Dot({
  tone = "neutral",
  isPulsing = false,
}: {
  readonly tone?: Tone;
  readonly isPulsing?: boolean;
}) {
  return (
    <span
      aria-hidden
      className={classNames(
        "inline-block size-2 shrink-0 rounded-full",
        dots[tone],
        isPulsing && "animate-pulse",
      )}
    />
  );
}
