import {
  Bot,
  ChevronRight,
  File,
  FileCode,
  FileImage,
  FileText,
  FlaskConical,
  Link2,
  type LucideIcon,
  Wrench,
} from "lucide-react";
import { Link } from "wouter";
import { classNames } from "../../../ui/class-names.ts";
import { formatBytes } from "../../../ui/text.tsx";
import type { SkillFile } from "../skill-view.ts";
import { fileHref } from "./file-address.ts";
import type { FileNode } from "./file-tree.ts";

const icons: Readonly<Record<string, LucideIcon>> = {
  instructions: FileText,
  script: FileCode,
  helper: FileCode,
  tool: Wrench,
  reference: FileText,
  asset: FileImage,
  agent: Bot,
  evaluation: FlaskConical,
  links: Link2,
};

export interface FileListProps {
  readonly id: string;
  readonly nodes: readonly FileNode[];
  readonly current: string;
  /** The one that the address names. */
  readonly revision: number | undefined;
}

/** The files of a skill as a tree. */
export function FileList({ nodes, ...rest }: FileListProps) {
  return (
    <ul className="space-y-px">
      {nodes.map((node) => (
        <li key={`${node.kind} ${node.name}`}>
          {node.kind === "file" ? <FileLink file={node.file} name={node.name} {...rest} /> : null}
          {node.kind === "folder" && (
            <details open className="group">
              <summary className="flex h-7 list-none items-center gap-1.5 rounded-md px-1.5 text-sm text-muted hover:bg-raised hover:text-ink">
                <ChevronRight
                  className="size-3.5 shrink-0 transition-transform group-open:rotate-90"
                  aria-hidden
                />
                <span className="truncate">{node.name}</span>
              </summary>
              <div className="ml-3 border-l border-line pl-1.5">
                <FileList nodes={node.children} {...rest} />
              </div>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

interface FileLinkProps extends Omit<FileListProps, "nodes"> {
  readonly file: SkillFile;
  readonly name: string;
}

function FileLink({ id, file, name, current, revision }: FileLinkProps) {
  const Icon = icons[file.role] ?? File;
  const isHere = file.path === current;
  return (
    <Link
      href={fileHref(id, file.path, { revision })}
      aria-current={isHere ? "page" : undefined}
      title={`${file.path} (${file.role}${file.executable ? ", executable" : ""})`}
      className={classNames(
        "flex h-7 items-center gap-1.5 rounded-md px-1.5 text-sm",
        isHere ? "bg-raised font-medium text-ink" : "text-muted hover:bg-raised hover:text-ink",
      )}
    >
      <Icon className={classNames("size-3.5 shrink-0", isHere && "text-accent")} aria-hidden />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {file.executable && (
        <span className="font-mono text-xs text-good">
          x<span className="sr-only"> (can be run)</span>
        </span>
      )}
      <span className="text-xs text-muted tabular-nums">{formatBytes(file.size)}</span>
    </Link>
  );
}
