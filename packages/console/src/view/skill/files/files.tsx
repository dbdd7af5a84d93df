import { FileX } from "lucide-react";
import { Suspense, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { useCanPublish } from "../../../api/session.tsx";
import { useApi } from "../../../api/use-api.ts";
import { part } from "../../../renewal.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { count, formatBytes } from "../../../ui/text.tsx";
import { useAddress } from "../../../ui/use-address.ts";
import type { SkillDetail, SkillProps } from "../skill-view.ts";
import { fileHref, pathOf, revisionOf } from "./file-address.ts";
import { FileList } from "./file-list.tsx";
import { treeOf } from "./file-tree.ts";
import { FileViewer } from "./file-viewer.tsx";
import { NewFile } from "./new-file.tsx";

const FileEditor = part(async () => (await import("./file-editor.tsx")).FileEditor);

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
  const [, go] = useLocation();
  // As the skill was when the new file was begun.
  const [added, setAdded] = useState<{ readonly path: string; readonly skill: SkillDetail }>();
  const canAdd = useCanAdd(skill, revision);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={4} />;
  return (
    <div className="grid gap-4 px-4 md:grid-cols-[17rem_minmax(0,1fr)]">
      <nav aria-label="Files" className="min-w-0">
        <div className="rounded-lg border border-line bg-panel p-2 md:sticky md:top-4">
          <div className="max-h-64 overflow-y-auto md:max-h-[calc(100dvh-6rem)]">
            <FileList id={id} nodes={nodes} current={path} revision={revision} />
          </div>
          {canAdd && (
            <NewFile paths={files.map((each) => each.path)} onOpen={(path) => setAdded({ path, skill })} />
          )}
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
        {added !== undefined ? (
          <article className="overflow-hidden rounded-lg border border-line bg-panel">
            <h2 className="border-b border-line px-4 py-3 font-mono text-xs font-semibold break-all">
              {added.path}
            </h2>
            <Suspense fallback={<SkeletonRows count={3} />}>
              <FileEditor
                {...added}
                text={undefined}
                onClose={() => setAdded(undefined)}
                onPublished={() => {
                  setAdded(undefined);
                  go(fileHref(id, added.path));
                }}
              />
            </Suspense>
          </article>
        ) : file === undefined ? (
          <NoFile path={path} />
        ) : (
          <FileViewer key={file.path} id={id} file={file} revision={revision} skill={skill} />
        )}
      </div>
    </div>
  );
}

/** New files are part of the next revision, so that only the current one takes them. */
function useCanAdd({ registry }: SkillDetail, revision: number | undefined): boolean {
  const canPublish = useCanPublish();
  const isCurrent = revision === undefined || revision === registry?.revision;
  return canPublish && isCurrent && registry?.status !== "deleted" && registry?.system === false;
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
