import { parsePatch } from "diff";
import { Fragment, useMemo } from "react";
import { classNames } from "../../../ui/class-names.ts";
import { ScrollText } from "../../../ui/scroll-text.tsx";
import { useDiffLook } from "./diff-look.tsx";
import { type DiffLine, type DiffRow, type Hunk, rowsOf, type Word } from "./diff-row.ts";

export interface DiffViewProps {
  readonly path: string;
  /** As a unified diff. */
  readonly text: string;
}

const MOST_ROWS = 3000;

/** A diff: side by side, or unified by choice and on narrow screens. */
export function DiffView({ path, text }: DiffViewProps) {
  const hunks = useMemo(() => readHunks(text), [text]);
  const size = hunks?.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
  if (hunks === undefined || size > MOST_ROWS)
    return (
      <div className="px-4 pb-3">
        <ScrollText label={`Change of ${path}`} text={text} className="max-h-128" />
      </div>
    );
  return (
    <section
      aria-label={`Change of ${path}`}
      className="border-t border-line bg-bg font-mono text-xs leading-5"
    >
      {hunks.map((hunk) => (
        <Fragment key={`${hunk.oldStart} ${hunk.newStart}`}>
          <p className="bg-raised px-4 text-muted">
            Line {hunk.oldStart} → {hunk.newStart}
          </p>
          <HunkRows rows={rowsOf(hunk)} />
        </Fragment>
      ))}
    </section>
  );
}

function HunkRows({ rows }: { readonly rows: readonly DiffRow[] }) {
  const isSplit = useDiffLook() === "split";
  return (
    <>
      <div className={isSplit ? "hidden lg:block" : "hidden"}>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows do not move.
          <div key={at} className="grid grid-cols-2">
            <Side line={row.left} kind="before" />
            <Side line={row.right} kind="after" />
          </div>
        ))}
      </div>
      <div className={isSplit ? "lg:hidden" : ""}>
        {inline(rows).map(({ line, kind }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows do not move.
          <Side key={at} line={line} kind={kind} />
        ))}
      </div>
    </>
  );
}

interface SideProps {
  readonly line: DiffLine | undefined;
  readonly kind: "before" | "after";
}

function Side({ line, kind }: SideProps) {
  if (line === undefined)
    return <div aria-hidden className="border-l border-line bg-raised first:border-l-0" />;
  const isBefore = kind === "before";
  return (
    <div
      className={classNames(
        "flex min-w-0 border-l border-line first:border-l-0",
        line.isChanged && (isBefore ? "bg-bad-soft" : "bg-good-soft"),
      )}
    >
      <span className="w-10 shrink-0 pr-2 text-right text-muted tabular-nums select-none">{line.number}</span>
      <span className={classNames("w-4 shrink-0 select-none", isBefore ? "text-bad" : "text-good")}>
        {line.isChanged ? (isBefore ? "−" : "+") : ""}
      </span>
      <code className="min-w-0 flex-1 pr-2 break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
        {line.words === undefined ? line.text : <Words words={line.words} isBefore={isBefore} />}
      </code>
    </div>
  );
}

/** The words of an edited line, with marks on those that changed. */
function Words({ words, isBefore }: { readonly words: readonly Word[]; readonly isBefore: boolean }) {
  return words.map(({ text, isChanged }, at) =>
    isChanged ? (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a line do not move.
        key={at}
        className={classNames(
          "rounded-sm bg-transparent text-inherit underline decoration-2 underline-offset-2",
          isBefore ? "decoration-bad" : "decoration-good",
        )}
      >
        {text}
      </mark>
    ) : (
      text
    ),
  );
}

/** Rows as one column: of each change first all that went, then all that came. */
function inline(rows: readonly DiffRow[]): readonly SideProps[] {
  const sides: SideProps[] = [];
  let come: SideProps[] = [];
  for (const { left, right } of rows) {
    const isChange = left?.isChanged !== false && right?.isChanged !== false;
    if (!isChange) {
      sides.push(...come, { line: right, kind: "after" });
      come = [];
      continue;
    }
    if (left !== undefined) sides.push({ line: left, kind: "before" });
    if (right !== undefined) come.push({ line: right, kind: "after" });
  }
  return [...sides, ...come];
}

/** Undefined when the text is not a unified diff. */
function readHunks(text: string): readonly Hunk[] | undefined {
  try {
    return parsePatch(text).flatMap(({ hunks }) => hunks);
  } catch {
    return undefined;
  }
}
