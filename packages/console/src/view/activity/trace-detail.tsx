import { Link } from "wouter";
import { sentenceOf } from "../../ui/event-sentence.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { SkeletonRows } from "../../ui/state.tsx";
import { formatBytes, Mono } from "../../ui/text.tsx";
import { skillOf } from "./event-line.ts";
import type { Recovered, ReplayStep, RunTexts } from "./replay.ts";
import { lasting } from "./run-trace.ts";
import type { TraceNode } from "./trace-node.ts";

export interface TraceDetailProps {
  readonly node: TraceNode;
  /** The replayed step, if the gateway could reconstruct it. */
  readonly step: ReplayStep | undefined;
  readonly isReading: boolean;
}

/** The content that the agent received or ran, byte for byte where the record has it. */
export function TraceDetail({ node, step, isReading }: TraceDetailProps) {
  const [{ event }] = node.entries;
  const skill = skillOf(event);
  const args = "args" in event ? event.args : [];
  const isReplayed = node.kind === "skill" || node.kind === "read" || node.kind === "run";
  return (
    <div className="space-y-3 border-t border-line bg-bg px-4 py-3 text-sm">
      {node.entries.length > 1 && <Steps node={node} />}
      {args.length > 0 && (
        <p className="break-words">
          <span className="text-muted">With </span>
          <Mono>{args.map((arg) => JSON.stringify(arg)).join(" ")}</Mono>
        </p>
      )}
      {isReplayed && step === undefined && isReading && <SkeletonRows count={1} />}
      <Handed title="What the agent received" what={step?.text} />
      <Handed title="What the agent received of the file" what={step?.content} />
      {step?.output !== undefined && <RunOutput texts={step.output} />}
      <Handed title="The script at that time" what={step?.script} />
      {skill !== undefined && (node.kind === "skill" || node.kind === "run") && (
        <Link href={`/skills/${encodeURIComponent(skill)}`} className="text-accent hover:underline">
          See the skill {skill}
        </Link>
      )}
      <details>
        <summary className="text-muted">Raw entries</summary>
        <ScrollText
          label="Raw entries"
          className="mt-2 max-h-96"
          text={JSON.stringify(
            node.entries.map((entry) => ({ seq: entry.seq, ...entry.event })),
            null,
            2,
          )}
        />
      </details>
    </div>
  );
}

function Steps({ node }: { readonly node: TraceNode }) {
  return (
    <ol className="space-y-1" aria-label="Step by step">
      {node.entries.map(({ seq, event }) => (
        <li key={seq} className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-2">
          <span className="text-right text-xs leading-5 text-muted tabular-nums">
            +{lasting(Date.parse(event.at) - node.from)}
          </span>
          <span className="break-words">{sentenceOf(event).text}</span>
        </li>
      ))}
    </ol>
  );
}

/** The kept ends of what a run was given and returned. */
function RunOutput({ texts: { input, stdout, stderr, result } }: { readonly texts: RunTexts }) {
  const isEmpty = result === undefined && stdout === "" && stderr === "";
  return (
    <>
      <KeptText title="Standard input" text={input} />
      <KeptText title="Output" text={stdout} />
      <KeptText title="Errors" text={stderr} />
      <KeptText title="Result" text={result} />
      {isEmpty && <p className="text-muted">The run printed no output.</p>}
    </>
  );
}

function KeptText({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined || text === "") return null;
  return (
    <div className="space-y-1">
      <p className="text-muted">{title}</p>
      <ScrollText label={title} text={text} className="max-h-96" />
    </div>
  );
}

function Handed({ title, what }: { readonly title: string; readonly what: Recovered | undefined }) {
  if (what === undefined) return null;
  if (!what.isAvailable)
    return (
      <p className="text-muted">
        {title}: {what.message}
      </p>
    );
  return (
    <div className="space-y-1">
      <p className="text-muted">
        {title}, {formatBytes(what.bytes)}
      </p>
      {what.text === undefined ? (
        <p>Too long to show here, or not text.</p>
      ) : (
        <ScrollText label={title} text={what.text} className="max-h-96" />
      )}
    </div>
  );
}
