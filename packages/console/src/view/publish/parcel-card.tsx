import { FileArchive, Folder, RotateCw, Upload, X } from "lucide-react";
import { useState } from "react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Failure, Skeleton } from "../../ui/state.tsx";
import { count, formatBytes } from "../../ui/text.tsx";
import { linesOf, type Parcel, publishable, type Step, unmarked } from "./parcel.ts";
import { publish, removeParcel, tryOut } from "./parcel-store.ts";
import { SkillCard } from "./skill-card.tsx";

const words: Readonly<Record<Exclude<Step["step"], "published">, readonly [string, Tone]>> = {
  reading: ["reading", "neutral"],
  stuck: ["not sent", "bad"],
  sending: ["", "info"],
  failed: ["failed", "bad"],
  tried: ["ready to publish", "info"],
};

function wordOf(parcel: Parcel): readonly [string, Tone] {
  const { state, results = [] } = parcel;
  if (state.step === "tried" && publishable(parcel) === 0) return ["nothing to publish", "warn"];
  if (state.step !== "published") return words[state.step];
  const refused = results.filter(({ status }) => status === "failed").length;
  return refused === 0 ? ["done", "good"] : [`done, ${refused} refused`, "warn"];
}

/** An archive or a folder, with its skills. */
export function ParcelCard({ parcel, label }: { readonly parcel: Parcel; readonly label: string }) {
  const { key, kind, bytes, state } = parcel;
  const Icon = kind === "folder" ? Folder : FileArchive;
  const [word, tone] = wordOf(parcel);
  return (
    <section aria-label={label} className="mx-4 mb-4 overflow-hidden rounded-lg border border-line bg-panel">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Icon className="size-4 shrink-0 text-muted" aria-hidden />
        <h2 className="min-w-0 text-sm font-semibold break-all">{label}</h2>
        {word !== "" && <Badge tone={tone}>{word}</Badge>}
        {bytes !== undefined && (
          <span className="text-xs text-muted">
            {formatBytes(bytes)}
            {kind === "folder" ? " packed" : ""}
          </span>
        )}
        <div className="ml-auto flex items-center gap-2">
          <ParcelActions parcel={parcel} />
          <IconButton icon={X} label={`Remove ${label}`} onClick={() => removeParcel(key)} />
        </div>
      </header>
      {state.step === "reading" && (
        <div role="status" aria-label="Reading" className="space-y-2 px-4 py-3">
          <Skeleton className="h-3 w-1/3" />
          <Skeleton className="h-3 w-2/3" />
        </div>
      )}
      {state.step === "sending" && <Sending {...state} name={label} />}
      {state.step === "stuck" && <p className="px-4 py-3 text-sm text-bad">{state.why}</p>}
      {state.step === "failed" && <Failure error={state.error} />}
      <Notes parcel={parcel} />
      <ul className="divide-y divide-line">
        {linesOf(parcel).map((line) => (
          <SkillCard key={`${line.path} ${line.result?.id}`} line={line} parcel={key} />
        ))}
      </ul>
      <IdField parcel={parcel} />
    </section>
  );
}

function ParcelActions({ parcel }: { readonly parcel: Parcel }) {
  const { key, state } = parcel;
  const number = publishable(parcel);
  const canTry = state.step === "tried" || (state.step === "failed" && state.isDryRun);
  return (
    <>
      {canTry && (
        <Button look="quiet" icon={RotateCw} onClick={() => tryOut(key)}>
          {state.step === "failed" ? "Try again" : "Check again"}
        </Button>
      )}
      {number > 0 && (
        <Button look="primary" icon={Upload} onClick={() => publish(key)}>
          {state.step === "failed" ? "Try again" : `Publish ${count(number, "skill")}`}
        </Button>
      )}
    </>
  );
}

function Sending({
  isDryRun,
  part,
  name,
}: {
  readonly isDryRun: boolean;
  readonly part: number;
  readonly name: string;
}) {
  const percent = Math.round(part * 100);
  const work = isDryRun ? "Checking on the gateway" : "Publishing";
  return (
    <div className="space-y-1 px-4 py-3">
      <div className="flex justify-between text-xs text-muted" aria-live="polite">
        <span>{part < 1 ? "Uploading" : work}</span>
        <span className="tabular-nums">{percent} %</span>
      </div>
      <div
        role="progressbar"
        aria-label={`Uploading ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-1.5 overflow-hidden rounded-full bg-raised"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}

function Notes({ parcel }: { readonly parcel: Parcel }) {
  const { skipped, trouble, state, results } = parcel;
  const notes = [
    ...(trouble === undefined
      ? []
      : [`Your browser cannot read it (${trouble}), so only the gateway checks it.`]),
    ...(skipped.length > 0 ? [`Not sent: ${skipped.join(", ")}.`] : []),
    ...(unmarked(parcel)
      ? [
          "Browsers hide which files are executable, so none is marked so. Scripts still run; to keep the marks, publish a ZIP or tar.gz, or use `skillhold publish`.",
        ]
      : []),
    ...(state.step === "tried" && results !== undefined && publishable(parcel) === 0
      ? ["Nothing to publish: every skill was refused or is unchanged."]
      : []),
  ];
  if (notes.length === 0) return null;
  return (
    <ul className="space-y-1 border-b border-line bg-raised px-4 py-2 text-sm text-muted">
      {notes.map((note) => (
        <li key={note} className="break-words">
          {note}
        </li>
      ))}
    </ul>
  );
}

/** For the one skill whose name gives no id, or one that is another's. */
function IdField({ parcel: { key, results, state } }: { readonly parcel: Parcel }) {
  const [id, setId] = useState("");
  const [result] = results ?? [];
  const isAsked =
    state.step === "tried" &&
    results?.length === 1 &&
    result?.status === "failed" &&
    (result.error.code === "USAGE" || result.error.code === "CONFLICT");
  if (!isAsked) return null;
  const isId = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && id.length <= 64;
  return (
    <form
      className="flex flex-wrap items-start gap-2 border-t border-line px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isId) tryOut(key, id);
      }}
    >
      <div className="w-72 max-w-full">
        <Field label="Publish under another id" note="a–z, 0–9 and single hyphens.">
          <Input
            value={id}
            onChange={({ target }) => setId(target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      </div>
      <Button type="submit" disabled={!isId} className="sm:mt-6">
        Check with this id
      </Button>
    </form>
  );
}
