import { childrenOf, hasTag, insertAfter } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";

/** A stretch of text of a paragraph: the element that holds it, in its run. */
interface Piece {
  readonly run: XmlElement;
  /** Absent for a tab, a break, a note or a picture, which cannot be part of a match. */
  readonly text: XmlElement | undefined;
  readonly start: number;
  readonly end: number;
}

/** The text of the runs that stand directly in a paragraph or in a link. Others have the length of one character. */
export function directText(paragraph: XmlElement): string {
  return piecesOf(paragraph)
    .map(({ text }) => text?.textContent ?? "\uFFFC")
    .join("");
}

/**
 * Splits runs so that the text from `start` to `end` fills whole runs. Returns these runs; undefined when something else
 * than text stands in between.
 */
export function isolateRuns(
  paragraph: XmlElement,
  start: number,
  end: number,
): readonly XmlElement[] | undefined {
  const inside = piecesOf(paragraph).filter((piece) => piece.start < end && piece.end > start);
  if (inside.length === 0 || inside.some(({ text }) => text === undefined)) return undefined;
  const last = inside.at(-1);
  if (last?.text !== undefined) splitRun(last.run, last.text, end - last.start);
  const [first] = piecesOf(paragraph).filter((piece) => piece.start < end && piece.end > start);
  if (first?.text !== undefined && !(first.start === start && isFirst(first.run, first.text)))
    splitRun(first.run, first.text, start - first.start);
  const runs = piecesOf(paragraph)
    .filter((piece) => piece.start < end && piece.start >= start && piece.end > piece.start)
    .map(({ run }) => run);
  return [...new Set(runs)];
}

function piecesOf(paragraph: XmlElement): readonly Piece[] {
  let at = 0;
  return runsOf(paragraph).flatMap((run) =>
    childrenOf(run)
      .filter((child) => !hasTag(child, "w:rPr") && !hasTag(child, "w:lastRenderedPageBreak"))
      .map((child): Piece => {
        const text = hasTag(child, "w:t") ? child : undefined;
        const start = at;
        at += text === undefined ? 1 : text.textContent.length;
        return { run, text, start, end: at };
      }),
  );
}

function runsOf(parent: XmlElement): readonly XmlElement[] {
  return childrenOf(parent).flatMap((child) => {
    if (hasTag(child, "w:r")) return [child];
    return hasTag(child, "w:hyperlink") ? runsOf(child) : [];
  });
}

function isFirst(run: XmlElement, text: XmlElement): boolean {
  return childrenOf(run).find((child) => !hasTag(child, "w:rPr")) === text;
}

/** Moves the text from `offset` on, with all that follows it in the run, to a new run with the same properties. */
function splitRun(run: XmlElement, text: XmlElement, offset: number): void {
  const children = childrenOf(run);
  const rest = children.slice(children.indexOf(text) + 1);
  const whole = text.textContent;
  if (offset >= whole.length && rest.length === 0) return;
  const next = run.cloneNode(false);
  const properties = children.find((child) => hasTag(child, "w:rPr"));
  if (properties !== undefined) next.appendChild(properties.cloneNode(true));
  if (offset < whole.length) {
    const moved = text.cloneNode(false);
    setText(moved, whole.slice(offset));
    next.appendChild(moved);
    setText(text, whole.slice(0, offset));
  }
  for (const child of rest) next.appendChild(child);
  if (offset === 0) run.removeChild(text);
  insertAfter(next, run);
}

function setText(element: XmlElement, text: string): void {
  element.textContent = text;
  element.setAttribute("xml:space", "preserve");
}
