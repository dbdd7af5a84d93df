import { Equal } from "lucide-react";
import { useApi } from "../../../api/use-api.ts";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { count, formatBytes, Mono } from "../../../ui/text.tsx";
import { FieldValue } from "../overview/frontmatter.tsx";
import { DiffLookButton } from "./diff-look.tsx";
import { DiffView } from "./diff-view.tsx";
import type { Pair, SkillDiff } from "./version.ts";

/** The changes between two revisions: the metadata in SKILL.md, and every file. */
export function Compare({ id, from, to }: Pair & { readonly id: string }) {
  const query = { from: String(from), to: String(to) };
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/diff", { params: { id }, query });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={3} />;
  if (data.files.length === 0)
    return (
      <Empty icon={Equal} title="No differences">
        r{from} and r{to} have the same files with the same bytes.
      </Empty>
    );
  return (
    <div className="divide-y divide-line">
      <div className="flex min-h-10 items-center justify-between gap-2 px-4 py-1 text-sm text-muted">
        <p>
          {count(data.files.length, "file")} differ{data.files.length === 1 ? "s" : ""}.
        </p>
        <DiffLookButton />
      </div>
      <FieldChanges fields={data.fields} />
      {data.files.map((file) => (
        <FileChange key={file.path} file={file} />
      ))}
    </div>
  );
}

export function FieldChanges({ fields }: Pick<SkillDiff, "fields">) {
  if (fields.length === 0) return null;
  return (
    <dl aria-label="Changes of the frontmatter" className="divide-y divide-line">
      {fields.map(({ field, from, to }) => (
        <div
          key={field}
          className="grid gap-1 px-4 py-2 text-sm sm:grid-cols-[8rem_minmax(0,1fr)_minmax(0,1fr)]"
        >
          <dt className="text-muted">
            <Mono>{field}</Mono>
          </dt>
          <dd className="min-w-0 rounded bg-bad-soft px-2 py-1 break-words">
            <span className="sr-only">Before: </span>
            {from === undefined ? <i className="text-muted">absent</i> : <FieldValue value={from} />}
          </dd>
          <dd className="min-w-0 rounded bg-good-soft px-2 py-1 break-words">
            <span className="sr-only">After: </span>
            {to === undefined ? <i className="text-muted">absent</i> : <FieldValue value={to} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type FileDiff = SkillDiff["files"][number];

const changes: Readonly<Record<FileDiff["change"], readonly [Tone, string]>> = {
  added: ["good", "added"],
  removed: ["bad", "removed"],
  changed: ["info", "changed"],
  mode: ["neutral", "exec bit"],
};

export function FileChange({ file }: { readonly file: FileDiff }) {
  const [tone, word] = changes[file.change];
  const { from, to } = file;
  const isRun = from !== undefined && to !== undefined && from.executable !== to.executable;
  return (
    <details open={file.text !== undefined && file.text.length < 60_000} className="group">
      <summary className="flex flex-wrap items-center gap-2 px-4 py-2 hover:bg-raised">
        <Badge tone={tone}>{word}</Badge>
        <span className="min-w-0 font-mono text-xs font-medium break-all">{file.path}</span>
        <span className="text-xs text-muted tabular-nums">
          {[from?.size, to?.size]
            .flatMap((size) => (size === undefined ? [] : [formatBytes(size)]))
            .join(" → ")}
        </span>
        {isRun && <Badge tone="warn">{to.executable ? "now executable" : "no longer executable"}</Badge>}
      </summary>
      {file.text === undefined ? (
        <p className="px-4 pb-3 text-sm text-muted">{file.note ?? "Only the exec bit differs."}</p>
      ) : (
        <DiffView path={file.path} text={file.text} />
      )}
    </details>
  );
}
