import { useId } from "react";
import { Link } from "wouter";
import { useIsAdmin } from "../../api/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { Ago, count, formatBytes } from "../../ui/text.tsx";
import { FindingList } from "../publish/finding-list.tsx";
import { isInstallable, type Preview, planOf, proofOf, type Result, versionOf } from "./preview.ts";

export interface PreviewCardProps {
  readonly preview: Preview;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly result: Result | undefined;
  readonly onInstallNow: () => void;
}

/** One skill of a source: what an install would do, and what became of it. */
export function PreviewCard({ preview, isChosen, onChoose, result, onInstallNow }: PreviewCardProps) {
  const { id, description, abilities, findings, concerns = [], changes = [], origin } = preview;
  const title = useId();
  const isOpen = isInstallable(preview) && (result === undefined || result.status === "failed");
  return (
    <li className="space-y-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        {isOpen && (
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={isChosen}
            aria-labelledby={title}
            onChange={({ target }) => onChoose(target.checked)}
          />
        )}
        <h3 id={title} className="text-sm font-semibold break-all">
          {id}
        </h3>
        <Badge tone={planOf(preview).tone}>{planOf(preview).text}</Badge>
        <Outcome result={result} onInstallNow={onInstallNow} />
      </div>
      <p className="text-sm break-words">{description}</p>
      <Facts preview={preview} />
      {[...concerns, ...(origin.warnings ?? [])].map((text) => (
        <p key={text} className="text-sm break-words text-warn">
          {text}
        </p>
      ))}
      <ul aria-label={`What ${id} can do`} className="list-disc space-y-0.5 pl-5 text-sm">
        {abilities.length === 0 && <li>Only instructions: no network, no variables, no programs.</li>}
        {abilities.map((line) => (
          <li key={line} className="break-words">
            <CodeText text={line} />
          </li>
        ))}
      </ul>
      <FindingList findings={findings} lines={[]} />
      {changes.length > 0 && preview.plan !== "install" && <Changes changes={changes} />}
      <Files preview={preview} />
    </li>
  );
}

function Facts({ preview }: { readonly preview: Preview }) {
  const { origin, firstSeen, files, bytes, waitsUntil } = preview;
  const proof = proofOf(preview);
  const version = versionOf(preview);
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
      {version !== undefined && <span className="font-mono">{version}</span>}
      <Badge tone={proof.tone}>{proof.text}</Badge>
      <span>
        {origin.releasedAt === undefined ? "first seen " : "released "}
        <Ago at={firstSeen} />
      </span>
      <span>
        {count(files.length, "file")}, {formatBytes(bytes)}
      </span>
      {waitsUntil !== undefined && <Badge tone="warn">waits until {waitsUntil.slice(0, 10)}</Badge>}
    </div>
  );
}

function Outcome({ result, onInstallNow }: Pick<PreviewCardProps, "result" | "onInstallNow">) {
  const isAdmin = useIsAdmin();
  if (result === undefined) return null;
  if (result.status === "failed") return <span className="text-sm text-bad">{result.error.message}</span>;
  if (result.status === "waiting")
    return (
      <>
        <span className="text-sm text-warn">
          Too new. It can be installed from {result.until.slice(0, 10)}.
        </span>
        {isAdmin && <Button onClick={onInstallNow}>Install anyway</Button>}
      </>
    );
  return (
    <Link href={`/skills/${result.id}`} className="text-sm text-accent-strong underline underline-offset-2">
      {result.status}
      {result.revision !== undefined && ` as r${result.revision}`}
    </Link>
  );
}

function Changes({ changes }: { readonly changes: NonNullable<Preview["changes"]> }) {
  return (
    <details>
      <summary className="text-sm text-muted hover:text-ink">{count(changes.length, "changed file")}</summary>
      <ul className="mt-2 space-y-0.5 font-mono text-xs">
        {changes.map(({ path, change }) => (
          <li key={path} className="break-all">
            {change} {path}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Files({ preview: { files } }: { readonly preview: Preview }) {
  return (
    <details>
      <summary className="text-sm text-muted hover:text-ink">{count(files.length, "file")}</summary>
      <ul className="mt-2 space-y-0.5 font-mono text-xs">
        {files.map(({ path, size, executable }) => (
          <li key={path} className="flex flex-wrap gap-2">
            <span className="break-all">{path}</span>
            <span className="text-muted">{formatBytes(size)}</span>
            {executable && <Badge tone="warn">executable</Badge>}
          </li>
        ))}
      </ul>
    </details>
  );
}
