import { call } from "../../../api/client.ts";
import { queries, useApi, useChange } from "../../../api/use-api.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Failure, Skeleton } from "../../../ui/state.tsx";
import { count } from "../../../ui/text.tsx";
import { toast, toastFailure } from "../../../ui/toast.tsx";
import type { SkillDiff } from "./version.ts";

export interface RollbackProps {
  readonly id: string;
  /** The current one. */
  readonly from: number;
  /** The revision to switch to; undefined while the dialog is closed. */
  readonly to: number | undefined;
  readonly onClose: () => void;
}

/** Explains the effect of a switch to another revision, and performs it on confirmation. */
export function Rollback({ id, from, to, onClose }: RollbackProps) {
  return (
    <Dialog isOpen={to !== undefined} onClose={onClose} title={`Switch ${id} to r${to}`}>
      {to !== undefined && <Explained id={id} from={from} to={to} onClose={onClose} />}
    </Dialog>
  );
}

interface ExplainedProps extends RollbackProps {
  readonly to: number;
}

function Explained({ id, from, to, onClose }: ExplainedProps) {
  const query = { from: String(from), to: String(to) };
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/diff", { params: { id }, query });
  const change = useChange("POST /v1/skills/{id}/rollback", [...stale]);
  const confirm = () =>
    change.mutate(
      { params: { id }, body: { revision: to } },
      {
        onSuccess: () => {
          toast(`${id} is now at r${to}`, { undo: () => void goTo(id, from) });
          onClose();
        },
      },
    );
  return (
    <div className="space-y-4 text-sm">
      <p>
        Agents that load {id} get r{to} instead of r{from} from now on. Agents pinned to a revision keep it. r
        {from} is kept, and you can switch back.
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} isCompact />}
      {error === null && data === undefined && <Skeleton className="h-16 w-full" />}
      {data !== undefined && <Summary diff={data} />}
      {change.error !== null && <Failure error={change.error} isCompact />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={change.isPending} onClick={confirm}>
          Switch to r{to}
        </Button>
      </div>
    </div>
  );
}

const MOST_NAMED = 8;
const words = { added: "added", removed: "removed", changed: "changed", mode: "exec bit changed" } as const;

function Summary({ diff }: { readonly diff: SkillDiff }) {
  const { files, fields } = diff;
  if (files.length === 0) return <p className="text-muted">Both have the same files.</p>;
  return (
    <div className="rounded-md border border-line px-3 py-2">
      <p className="font-medium">
        {count(files.length, "file")} would change
        {fields.length > 0 && `, and ${fields.map(({ field }) => field).join(", ")} of the frontmatter`}.
      </p>
      <ul className="mt-1 space-y-0.5 text-muted">
        {files.slice(0, MOST_NAMED).map(({ path, change }) => (
          <li key={path} className="break-all">
            <span className="font-mono text-xs text-ink">{path}</span> {words[change]}
          </li>
        ))}
        {files.length > MOST_NAMED && <li>and {files.length - MOST_NAMED} more</li>}
      </ul>
    </div>
  );
}

const stale = [
  "GET /v1/skills",
  "GET /v1/skills/{id}",
  "GET /v1/skills/{id}/versions",
  "GET /v1/skills/{id}/files",
] as const;

async function goTo(id: string, revision: number): Promise<void> {
  try {
    await call("POST /v1/skills/{id}/rollback", { params: { id }, body: { revision } });
    toast(`${id} is back at r${revision}`);
  } catch (error) {
    toastFailure(error);
  }
  await Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
