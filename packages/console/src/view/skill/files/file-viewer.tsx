import { Check, Copy, Download, FileBox, Pencil, Play, Trash2 } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useCanPublish } from "../../../api/session.tsx";
import { part } from "../../../renewal.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { saveFile } from "../../../ui/save-file.ts";
import { Empty, Failure, Skeleton } from "../../../ui/state.tsx";
import { CopyText, formatBytes } from "../../../ui/text.tsx";
import { toastFailure } from "../../../ui/toast.tsx";
import type { SkillDetail, SkillFile } from "../skill-view.ts";
import { type FilePlace, readFile, SHOWN_BYTES } from "../use-file.ts";
import { type TextFile, useText } from "../use-text.ts";
import { CodeView } from "./code-view.tsx";
import { pictureType } from "./file-kind.ts";

const FileEditor = part(async () => (await import("./file-editor.tsx")).FileEditor);
const FileDelete = part(async () => (await import("./file-editor.tsx")).FileDelete);
const ToolRun = part(async () => (await import("./tool-run.tsx")).ToolRun);
const ScriptRun = part(async () => (await import("./script-run.tsx")).ScriptRun);

export interface FileViewerProps extends Omit<FilePlace, "file"> {
  readonly file: SkillFile;
  /** The skill with its current content. */
  readonly skill: SkillDetail;
}

/** One file: highlighted text, an image, or the size and digest of any other file. */
export function FileViewer({ id, file, revision, skill }: FileViewerProps) {
  const type = pictureType(file.path);
  const { data, error, retry } = useText({ id, file, revision }, { isWhole: type !== undefined });
  const [isRaw, setRaw] = useState(false);
  const [isRunning, setRunning] = useState(false);
  // As the skill was when the edit began: a change by another user does not replace the text.
  const [edited, setEdited] = useState<{ readonly skill: SkillDetail; readonly text: string }>();
  const [deleted, setDeleted] = useState<SkillDetail>();
  const [, go] = useLocation();
  const acts = useFileActs(skill, { file, revision });
  const isPicture = type !== undefined && !isRaw;
  const save = async () =>
    saveFile(await readFile({ id, file, revision }), file.path.split("/").at(-1) ?? "");
  return (
    <article className="overflow-hidden rounded-lg border border-line bg-panel">
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line py-1.5 pr-2 pl-4">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3">
          <h2 className="min-w-0 font-mono text-xs font-semibold break-all">{file.path}</h2>
          <span className="text-xs text-muted tabular-nums">{formatBytes(file.size)}</span>
          <CopyText text={file.digest} label="the digest" isShort />
        </div>
        <div className="flex items-center gap-1">
          {type === "image/svg+xml" && (
            <Button look="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
              {isRaw ? "Picture" : "Source"}
            </Button>
          )}
          {(acts.canRun || acts.canCall) && (
            <Button look="quiet" icon={Play} aria-expanded={isRunning} onClick={() => setRunning(!isRunning)}>
              Run
            </Button>
          )}
          {acts.canEdit && data?.text !== undefined && edited === undefined && (
            <Button look="quiet" icon={Pencil} onClick={() => setEdited({ skill, text: data.text ?? "" })}>
              Edit
            </Button>
          )}
          {acts.canDelete && edited === undefined && (
            <IconButton
              icon={Trash2}
              label="Delete file"
              aria-expanded={deleted !== undefined}
              onClick={() => setDeleted(deleted === undefined ? skill : undefined)}
            />
          )}
          {data?.text !== undefined && <CopyFile text={data.text} />}
          <IconButton icon={Download} label="Download" onClick={() => save().catch(toastFailure)} />
        </div>
      </header>
      {isRunning && (
        <Suspense fallback={<TextSkeleton />}>
          {acts.canCall ? <ToolRun id={id} path={file.path} /> : <ScriptRun id={id} script={file.path} />}
        </Suspense>
      )}
      {edited !== undefined && (
        <Suspense fallback={<TextSkeleton />}>
          <FileEditor
            {...edited}
            path={file.path}
            onClose={() => setEdited(undefined)}
            onPublished={() => setEdited(undefined)}
          />
        </Suspense>
      )}
      {deleted !== undefined && (
        <Suspense fallback={<TextSkeleton />}>
          <FileDelete
            skill={deleted}
            path={file.path}
            onClose={() => setDeleted(undefined)}
            onPublished={() => go(`/skills/${id}/files`)}
          />
        </Suspense>
      )}
      {error !== null && <Failure error={error} onRetry={retry} />}
      {error === null && data === undefined && <TextSkeleton />}
      {data !== undefined && isPicture && <Picture blob={data.blob} type={type} path={file.path} />}
      {data !== undefined && !isPicture && edited === undefined && <Content data={data} file={file} />}
    </article>
  );
}

/** The acts on a file of the current content. */
function useFileActs(
  { registry }: SkillDetail,
  { file, revision }: Pick<FileViewerProps, "file" | "revision">,
) {
  const canPublish = useCanPublish();
  const isCurrent = revision === undefined || revision === registry?.revision;
  const isUsable = isCurrent && registry !== undefined && registry.status !== "deleted";
  const isScript = /^(?:scripts|bin)\//.test(file.path);
  const canStart = canPublish && isCurrent && registry?.status !== "deleted";
  const canChange = canPublish && isUsable && registry.system !== true;
  return {
    canRun: canStart && isScript,
    canCall: canStart && file.role === "tool",
    canEdit: canChange && file.size <= SHOWN_BYTES,
    canDelete: canChange && file.role !== "instructions",
  };
}

function Content({ data, file }: { readonly data: TextFile; readonly file: FilePlace["file"] }) {
  if (data.text === undefined)
    return (
      <Empty icon={FileBox} title="Binary file">
        It has {formatBytes(file.size)}. Its digest is <span className="break-all">{file.digest}</span>.
      </Empty>
    );
  return (
    <>
      {file.size > SHOWN_BYTES && (
        <p className="border-b border-line bg-warn-soft px-4 py-2 text-xs text-warn">
          The first {formatBytes(SHOWN_BYTES)} of {formatBytes(file.size)} are shown.
        </p>
      )}
      <CodeView path={file.path} text={data.text} />
    </>
  );
}

function CopyFile({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1500);
  };
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? "Copied" : "Copy text"}
      onClick={() => copy().catch(toastFailure)}
    />
  );
}

interface PictureProps {
  readonly blob: Blob;
  readonly type: string;
  readonly path: string;
}

function Picture({ blob, type, path }: PictureProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  return (
    <div className="flex justify-center bg-raised p-4">
      {url !== undefined && <img src={url} alt={path} className="max-h-128 max-w-full" />}
    </div>
  );
}

function TextSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="space-y-2 p-4">
      <Skeleton className="h-3 w-1/3" />
      <Skeleton className="h-3 w-2/3" />
      <Skeleton className="h-3 w-1/2" />
    </div>
  );
}
