import { CircleAlert, TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { Badge } from "../../ui/badge.tsx";
import { TrustBadge } from "../../ui/skill-badge.tsx";
import { count, formatBytes } from "../../ui/text.tsx";
import { ChangeList } from "./change-list.tsx";
import { FindingList } from "./finding-list.tsx";
import { outcomeOf, type Publication, type SkillLine } from "./parcel.ts";

type Good = Exclude<Publication, { status: "failed" }>;

/** One dropped skill: its findings and its publication result. */
export function SkillCard({ line, parcel }: { readonly line: SkillLine; readonly parcel: number }) {
  const { path, local, result } = line;
  const [word, tone] = outcomeOf(line);
  const id = result?.id ?? local?.id;
  const findings = result?.diagnostics ?? local?.diagnostics ?? [];
  return (
    <li className="space-y-2 px-4 py-3" aria-label={id ?? path}>
      <div className="flex flex-wrap items-center gap-2">
        <SkillName id={id ?? path} result={result} />
        <Badge tone={tone}>{word}</Badge>
        {result !== undefined && result.status !== "failed" && <GoodBadges result={result} />}
        <span className="ml-auto text-xs text-muted">
          {factsOf(line)
            .filter((fact) => fact !== undefined)
            .join(" · ")}
        </span>
      </div>
      {result?.status === "failed" && <Refusal result={result} />}
      {result !== undefined &&
        result.status !== "failed" &&
        result.warnings.map((warning) => (
          <p key={warning} className="flex items-start gap-2 text-sm text-warn">
            <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
            {warning}
          </p>
        ))}
      <FindingList findings={findings} lines={local?.lines ?? []} />
      {result !== undefined && result.status !== "failed" && (
        <Content result={result} folder={path} parcel={parcel} />
      )}
    </li>
  );
}

function SkillName({ id, result }: { readonly id: string; readonly result: Publication | undefined }) {
  const isThere = result !== undefined && result.status !== "failed" && !(result.isDryRun && result.isNew);
  if (!isThere) return <span className="font-medium break-all">{id}</span>;
  return (
    <Link href={`/skills/${id}`} className="font-medium break-all hover:underline">
      {id}
    </Link>
  );
}

function GoodBadges({ result: { trust, visibility, state, status, isDryRun } }: { readonly result: Good }) {
  return (
    <>
      <TrustBadge trust={trust} />
      <Badge>{visibility}</Badge>
      {state !== "active" && status !== "unchanged" && (
        <Badge tone="warn" title="Agents do not get it until its dependencies are installed">
          {isDryRun ? `would be ${state}` : state}
        </Badge>
      )}
    </>
  );
}

function factsOf({ path, local, result }: SkillLine): readonly (string | undefined)[] {
  const good = result === undefined || result.status === "failed" ? local : result;
  const version = result === undefined || result.status === "failed" ? undefined : result.version;
  return [
    path === "." || path === result?.id ? undefined : path,
    version === undefined ? undefined : `version ${version}`,
    good === undefined ? undefined : count(good.files, "file"),
    good === undefined ? undefined : formatBytes(good.bytes),
  ];
}

function Refusal({
  result: { error, diagnostics },
}: {
  readonly result: Extract<Publication, { status: "failed" }>;
}) {
  return (
    <div className="flex items-start gap-2 text-sm">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0">
        <p className="break-words text-bad">{error.message}</p>
        {diagnostics.length === 0 && <p className="break-words text-muted">{error.hint}</p>}
      </div>
    </div>
  );
}

interface ContentProps {
  readonly result: Good;
  readonly folder: string;
  readonly parcel: number;
}

function Content({ result, folder, parcel }: ContentProps) {
  const { id, changes, omitted, status, isDryRun, isNew } = result;
  return (
    <>
      {changes !== undefined && changes.length > 0 && (
        <ChangeList id={id} folder={folder} changes={changes} parcel={parcel} />
      )}
      {omitted.length > 0 && (
        <details>
          <summary className="text-sm text-muted hover:text-ink">
            {count(omitted.length, "file")} left out
          </summary>
          <ul className="mt-2 max-h-60 space-y-1 overflow-y-auto text-sm">
            {omitted.map(({ path, message }) => (
              <li key={path} className="break-words">
                <span className="font-mono text-xs break-all">{path}</span>{" "}
                <span className="text-muted">{message}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {status === "published" && !isDryRun && (
        <p className="flex flex-wrap gap-4 text-sm">
          <Link href={`/skills/${id}`} className="text-accent hover:underline">
            Open {id}
          </Link>
          {!isNew && (
            <Link href={`/skills/${id}/versions`} className="text-accent hover:underline">
              View changes
            </Link>
          )}
        </p>
      )}
    </>
  );
}
