import type { LucideIcon } from "lucide-react";
import { LoaderCircle } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";
import { classNames } from "./class-names.ts";

const looks = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border-transparent",
  plain: "bg-panel text-ink border-line-strong hover:bg-raised",
  quiet: "bg-transparent text-muted border-transparent hover:bg-raised hover:text-ink",
  danger: "bg-panel text-bad border-line-strong hover:bg-bad-soft",
} as const;

const shape =
  "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof looks;
  readonly icon?: LucideIcon;
  readonly isBusy?: boolean;
  readonly children?: ReactNode;
}

export function Button({
  look = "plain",
  icon: Icon,
  isBusy = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={classNames(shape, looks[look], className)}
      {...rest}
      disabled={isBusy || rest.disabled}
    >
      {isBusy ? (
        <LoaderCircle className="size-3.5 animate-spin" aria-hidden />
      ) : (
        Icon !== undefined && <Icon className="size-3.5" aria-hidden />
      )}
      {children}
    </button>
  );
}

export interface LinkButtonProps {
  readonly href: string;
  readonly look?: keyof typeof looks;
  readonly icon: LucideIcon;
  readonly children: ReactNode;
}

/** A way to another view that looks like something to do. */
export function LinkButton({ href, look = "plain", icon: Icon, children }: LinkButtonProps) {
  return (
    <Link href={href} className={classNames(shape, looks[look])}>
      <Icon className="size-3.5" aria-hidden />
      {children}
    </Link>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children"> {
  readonly icon: LucideIcon;
  /** The action, as the accessible name and the tooltip. */
  readonly label: string;
}

export function IconButton({
  icon: Icon,
  label,
  className,
  look = "quiet",
  isBusy: _,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md border transition-colors disabled:opacity-50",
        looks[look],
        className,
      )}
      {...rest}
    >
      <Icon className="size-4" aria-hidden />
    </button>
  );
}
