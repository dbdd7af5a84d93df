import { Ban, BookOpen, ChevronRight, CircleDot, FileText, type LucideIcon, Play } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import type { ReplayStep } from "./replay.ts";
import { TimeBar } from "./time-bar.tsx";
import type { Trace } from "./trace.ts";
import { TraceDetail } from "./trace-detail.tsx";
import type { TraceNode } from "./trace-node.ts";

const icons: Readonly<Record<TraceNode["kind"], LucideIcon>> = {
  skill: BookOpen,
  read: FileText,
  run: Play,
  refusal: Ban,
  note: CircleDot,
};

const kinds: Readonly<Record<TraceNode["kind"], string>> = {
  skill: "Loaded",
  read: "Read",
  run: "Run",
  refusal: "Refused",
  note: "Noted",
};

export interface TraceTreeProps {
  readonly trace: Trace;
  readonly steps: readonly ReplayStep[];
  /** Whether the replayed content is still loading. */
  readonly isReading: boolean;
}

/** The session as a tree, with when each thing was done beside it. */
export function TraceTree({ trace, steps, isReading }: TraceTreeProps) {
  if (trace.nodes.length === 0)
    return <p className="px-4 py-6 text-center text-sm text-muted">Nothing was used in this session.</p>;
  return (
    <ul className="divide-y divide-line">
      {trace.nodes.map((node) => (
        <Branch
          key={node.entries[0].seq}
          node={node}
          depth={0}
          trace={trace}
          steps={steps}
          isReading={isReading}
        />
      ))}
    </ul>
  );
}

interface BranchProps extends TraceTreeProps {
  readonly node: TraceNode;
  readonly depth: number;
}

function Branch({ node, depth, ...rest }: BranchProps) {
  const [isOpen, setOpen] = useState(false);
  const step = rest.steps.find(({ seq }) => node.entries.some((entry) => entry.seq === seq));
  const Icon = icons[node.kind];
  const isNamed = node.kind === "skill" || node.kind === "read" || node.kind === "run";
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-2 pr-4 text-left text-sm hover:bg-raised md:grid-cols-[minmax(0,1fr)_9rem_14rem]"
        style={{ paddingLeft: `${1 + depth * 1.5}rem` }}
      >
        <span className="flex min-w-0 items-center gap-2">
          <ChevronRight
            className={classNames("size-4 shrink-0 text-faint transition-transform", isOpen && "rotate-90")}
            aria-hidden
          />
          <Icon className={classNames("size-4 shrink-0", tints[node.tone])} aria-hidden />
          {isNamed && <span className="sr-only">{kinds[node.kind]} </span>}
          <span className={classNames("min-w-0 break-words", node.kind === "skill" && "font-medium")}>
            {node.title}
          </span>
        </span>
        <span className="flex justify-end md:justify-start">
          {node.kind === "run" ? (
            <Badge tone={node.tone}>{node.note}</Badge>
          ) : (
            <span className="text-xs text-muted tabular-nums">{node.note}</span>
          )}
        </span>
        <TimeBar node={node} trace={rest.trace} />
      </button>
      {isOpen && <TraceDetail node={node} step={step} isReading={rest.isReading} />}
      {node.children.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {node.children.map((child) => (
            <Branch key={child.entries[0].seq} node={child} depth={depth + 1} {...rest} />
          ))}
        </ul>
      )}
    </li>
  );
}

const tints = {
  neutral: "text-muted",
  accent: "text-accent",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
  info: "text-info",
} as const;
