import { classNames } from "../../ui/class-names.ts";
import { lasting } from "./run-trace.ts";
import type { Trace } from "./trace.ts";
import type { TraceNode } from "./trace-node.ts";

const fills = {
  neutral: "bg-faint",
  accent: "bg-accent",
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
  info: "bg-info",
} as const;

/** When in the session it was, and how long; a run's wait for leave is paler. */
export function TimeBar({ node, trace }: { readonly node: TraceNode; readonly trace: Trace }) {
  const span = Math.max(1, trace.to - trace.from);
  const place = (time: number) => ((time - trace.from) / span) * 100;
  const begun = node.kind === "run" ? (node.started ?? node.to) : node.from;
  const text = `${lasting(node.from - trace.from)} after the start, for ${lasting(node.to - node.from)}`;
  return (
    <span className="relative hidden h-4 md:block" title={text}>
      <span className="absolute inset-x-0 top-1/2 h-px bg-line" aria-hidden />
      {begun > node.from && <Bar from={place(node.from)} to={place(begun)} className="bg-line-strong" />}
      {(node.kind !== "run" || node.started !== undefined) && (
        <Bar from={place(begun)} to={place(node.to)} className={fills[node.tone]} />
      )}
      <span className="sr-only">{text}</span>
    </span>
  );
}

function Bar({
  from,
  to,
  className,
}: {
  readonly from: number;
  readonly to: number;
  readonly className: string;
}) {
  return (
    <span
      aria-hidden
      className={classNames("absolute top-1 h-2 min-w-1 rounded-full", className)}
      style={{ left: `min(${from}%, calc(100% - 0.25rem))`, width: `${to - from}%` }}
    />
  );
}
