import { CircleAlert, type LucideIcon, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

export interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** Shown for an empty list: why it is empty, and what to do. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center justify-center gap-2 px-6 py-16 text-center">
      <Icon className="size-8 text-faint" strokeWidth={1.5} aria-hidden />
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-md text-sm text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

export interface FailureProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  readonly isCompact?: boolean;
}

/** Shows an error: the failure, what to do about it, and details for the gateway's administrator. */
export function Failure({ error, onRetry, isCompact = false }: FailureProps) {
  const known = error instanceof ApiError ? error : undefined;
  return (
    <div
      role="alert"
      className={classNames(
        "flex flex-wrap items-start gap-3 rounded-lg border border-line bg-bad-soft text-sm",
        isCompact ? "px-3 py-2" : "m-4 px-4 py-3",
      )}
    >
      <div className="flex min-w-0 flex-1 basis-64 items-start gap-3">
        <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
        <div className="min-w-0 flex-1 space-y-1">
          <p className="font-medium break-words text-bad">{error.message}</p>
          {known !== undefined && <p className="text-ink">{known.hint}</p>}
          {known?.requestId !== undefined && (
            <p className="font-mono text-xs text-muted">
              {known.code} · request {known.requestId}
            </p>
          )}
        </div>
      </div>
      {onRetry !== undefined && (
        <Button icon={RotateCw} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden className={classNames("animate-pulse rounded bg-raised", className)} />;
}

/** Placeholder rows while the data loads. */
export function SkeletonRows({ count = 6 }: { readonly count?: number }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same.
        <div key={row} className="flex items-center gap-3 px-4 py-3">
          <Skeleton className="size-8 rounded-md" />
          <div className="flex-1 space-y-2">
            <Skeleton className="h-3 w-1/4" />
            <Skeleton className="h-3 w-2/3" />
          </div>
        </div>
      ))}
    </div>
  );
}
