import { FolderUp, Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { formatBytes } from "../../ui/text.tsx";
import { type Dropped, readChosen, readTransfer } from "./dropped.ts";

export interface DropZoneProps {
  readonly limits: Readonly<Record<string, number>>;
  readonly onDrop: (dropped: readonly Dropped[]) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Where skills are dropped, which is anywhere on the page, or chosen. */
export function DropZone({ limits, onDrop, onFailure }: DropZoneProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const isOver = useDrops((transfer) => {
    readTransfer(transfer).then(onDrop, onFailure);
  });
  const choose = (input: HTMLInputElement) => {
    onDrop(readChosen(input.files ?? []));
    // Without a reset, choosing the same file again fires no change event.
    input.value = "";
  };
  return (
    <div className="mx-4 mb-4">
      <button
        type="button"
        onClick={() => files.current?.click()}
        aria-describedby="publish-limits"
        className={classNames(
          "flex w-full flex-col items-center gap-2 rounded-lg border border-dashed px-6 py-10 text-center transition-colors",
          isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-panel hover:bg-raised",
        )}
      >
        <Upload className={classNames("size-7", isOver ? "text-accent" : "text-faint")} aria-hidden />
        <span className="font-medium">
          {isOver ? "Drop to check" : "Drop ZIP or tar.gz files, or folders"}
        </span>
        <span className="text-sm text-muted">or click to choose files</span>
        <span className="max-w-md text-xs text-muted">
          A skill is a folder with a SKILL.md. An archive or folder can hold several; each is published on its
          own.
        </span>
      </button>
      <div className="flex flex-wrap items-center justify-between gap-2 pt-2">
        <p id="publish-limits" className="text-xs text-muted">
          {limitSentence(limits)}
        </p>
        <Button icon={FolderUp} onClick={() => folder.current?.click()}>
          Choose folder
        </Button>
      </div>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files to publish"
        onChange={({ currentTarget }) => choose(currentTarget)}
      />
      <input
        ref={(input) => {
          folder.current = input;
          // React has no name for it.
          if (input !== null) input.webkitdirectory = true;
        }}
        type="file"
        hidden
        aria-label="Folder to publish"
        onChange={({ currentTarget }) => choose(currentTarget)}
      />
    </div>
  );
}

function limitSentence(limits: Readonly<Record<string, number>>): string {
  const { archiveBytes, unpackedBytes, archiveSkills, bundleFiles } = limits;
  if (archiveBytes === undefined || unpackedBytes === undefined) return "";
  return `Up to ${formatBytes(archiveBytes)} packed, ${formatBytes(unpackedBytes)} unpacked and ${archiveSkills} skills at once; ${bundleFiles?.toLocaleString("en")} files a skill.`;
}

/** Whether files are dragged over the page. Prevents the browser from opening dropped files. */
function useDrops(onDrop: (transfer: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer);
    };
    window.addEventListener("dragover", over);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
