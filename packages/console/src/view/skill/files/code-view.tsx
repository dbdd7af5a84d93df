import { memo, useEffect, useMemo, useRef, useState } from "react";
import { useLocationProperty } from "wouter/use-browser-location";
import { classNames } from "../../../ui/class-names.ts";
import { type LineSpan, linesOf } from "./file-address.ts";
import { languageOf } from "./file-kind.ts";
import { cutLines } from "./file-text.ts";
import { type CodePiece, highlight } from "./highlight.ts";

export interface CodeViewProps {
  readonly path: string;
  readonly text: string;
}

/** A file as text with numbered lines; the address can name some of them. */
export function CodeView({ path, text }: CodeViewProps) {
  const { lines, isCut } = useMemo(() => cutLines(text), [text]);
  const pieces = usePieces(path, lines);
  const chosen = linesOf(useLocationProperty(() => window.location.hash));
  const box = useRef<HTMLElement>(null);
  const first = chosen?.first;
  useEffect(() => {
    if (first === undefined) return;
    box.current?.querySelector(`[data-line="${first}"]`)?.scrollIntoView({ block: "center" });
  }, [first]);
  return (
    <>
      <section
        ref={box}
        aria-label={`Text of ${path}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto py-2 font-mono text-xs leading-5"
      >
        <div className="w-max min-w-full">
          {lines.map((line, at) => (
            <CodeLine
              // biome-ignore lint/suspicious/noArrayIndexKey: the line number identifies the line.
              key={at}
              number={at + 1}
              pieces={pieces?.[at]}
              text={line}
              isChosen={isIn(at + 1, chosen)}
            />
          ))}
        </div>
      </section>
      {isCut && (
        <p className="border-t border-line bg-raised px-4 py-2 text-xs text-muted">
          Only the beginning is shown, and of very long lines too. Download the file for the rest.
        </p>
      )}
    </>
  );
}

function isIn(line: number, span: LineSpan | undefined): boolean {
  return span !== undefined && line >= span.first && line <= span.last;
}

interface CodeLineProps {
  readonly number: number;
  readonly text: string;
  readonly pieces: readonly CodePiece[] | undefined;
  readonly isChosen: boolean;
}

const CodeLine = memo(function CodeLine({ number, text, pieces, isChosen }: CodeLineProps) {
  return (
    <div data-line={number} className={classNames("flex", isChosen && "bg-accent-soft")}>
      <a
        href={`#L${number}`}
        aria-label={`Line ${number}`}
        aria-current={isChosen ? "location" : undefined}
        tabIndex={-1}
        className="w-12 shrink-0 pr-3 text-right text-muted tabular-nums select-none hover:text-ink"
      >
        {number}
      </a>
      <code className="pr-4 whitespace-pre">
        {pieces === undefined
          ? text || "\n"
          : // biome-ignore lint/suspicious/noArrayIndexKey: pieces do not move.
            pieces.map((piece, at) => <Piece key={at} {...piece} />)}
      </code>
    </div>
  );
});

function Piece({ text, color, isItalic, isBold }: CodePiece) {
  if (color === undefined && !isItalic && !isBold) return text;
  return (
    <span style={{ color }} className={classNames(isItalic && "italic", isBold && "font-semibold")}>
      {text}
    </span>
  );
}

/** The highlighted lines; undefined until they are ready, so the plain text shows first. */
function usePieces(path: string, lines: readonly string[]): readonly (readonly CodePiece[])[] | undefined {
  const [done, setDone] = useState<{
    readonly of: readonly string[];
    readonly pieces: readonly (readonly CodePiece[])[] | undefined;
  }>();
  useEffect(() => {
    let isOver = false;
    const language = languageOf(path, lines[0]);
    const run = async (name: string) => {
      // If highlighting fails, the plain text stays.
      const pieces = await highlight(lines, name).catch(() => undefined);
      if (!isOver) setDone({ of: lines, pieces });
    };
    if (language !== undefined) void run(language);
    return () => {
      isOver = true;
    };
  }, [path, lines]);
  return done?.of === lines ? done.pieces : undefined;
}
