import { FileX } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { useApi } from "../../../api/use-api.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { count, formatBytes } from "../../../ui/text.tsx";
import { useAddress } from "../../../ui/use-address.ts";
import type { SkillProps } from "../skill-view.ts";
import { fileHref, pathOf, revisionOf } from "./file-address.ts";
import { FileList } from "./file-list.tsx";
import { treeOf } from "./file-tree.ts";
import { FileViewer } from "./file-viewer.tsx";

/** The files of a revision, and one of them opened. */
export function Files({ skill }: SkillProps) {
  const { id } = skill.entry;
  const [read] = useAddress();
  const revision = revisionOf(read("revision"));
  const query = revision === undefined ? {} : { revision: String(revision) };
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/files", { params: { id }, query });
  const files = data?.files ?? [];
  const nodes = useMemo(() => treeOf(files), [files]);
  const named = pathOf(usePathname());
  const path = named === "" ? (files.find(({ role }) => role === "instructions")?.path ?? "") : named;
  const file = files.find((each) => each.path === path);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={4} />;
  return (
    <div className="grid gap-4 px-4 md:grid-cols-[17rem_minmax(0,1fr)]">
      <nav aria-label="Files" className="min-w-0">
        <div className="rounded-lg border border-line bg-panel p-2 md:sticky md:top-4">
          <div className="max-h-64 overflow-y-auto md:max-h-[calc(100dvh-6rem)]">
            <FileList id={id} nodes={nodes} current={path} revision={revision} />
          </div>
          <p className="px-1.5 pt-2 text-xs text-muted">
            {count(files.length, "file")}, {formatBytes(files.reduce((sum, { size }) => sum + size, 0))}
          </p>
        </div>
      </nav>
      <div className="min-w-0 space-y-3">
        {revision !== undefined && revision !== skill.registry?.revision && (
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            <Badge tone="warn">r{revision}</Badge> Not the current revision.
            <Link href={fileHref(id, path)} className="text-accent-strong underline">
              Show the current one
            </Link>
          </p>
        )}
        {file === undefined ? (
          <NoFile path={path} />
        ) : (
          <FileViewer key={file.path} id={id} file={file} revision={revision} skill={skill} />
        )}
      </div>
    </div>
  );
}

function NoFile({ path }: { readonly path: string }) {
  return (
    <div className="rounded-lg border border-line bg-panel">
      <Empty icon={FileX} title="File not found">
        {path === ""
          ? "Pick a file from the list."
          : `This revision has no ${path}. Pick a file from the list.`}
      </Empty>
    </div>
  );
}
