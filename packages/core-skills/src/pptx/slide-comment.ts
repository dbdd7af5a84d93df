import { clip } from "../shared/bounded.ts";
import { childrenOf, descendantsOf } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { Deck } from "./deck.ts";
import { paragraphText } from "./slide-text.ts";

export type SlideComment = {
  readonly author: string;
  readonly date?: string;
  readonly text: string;
};

const TEXT_LENGTH = 1000;

/** The comments of reviewers on a slide, of the old kind and of the threaded kind with replies. */
export function commentsOf(deck: Deck, part: string): readonly SlideComment[] {
  const authors = authorsOf(deck);
  const parts = deck.pkg.related(part, "comments").filter(({ target }) => deck.pkg.has(target));
  return parts.flatMap(({ target }) =>
    childrenOf(deck.pkg.xml(target))
      .filter(({ localName }) => localName === "cm")
      .flatMap((comment) => [comment, ...repliesOf(comment)])
      .map((comment) => readComment(comment, authors)),
  );
}

function repliesOf(comment: XmlElement): readonly XmlElement[] {
  const lists = childrenOf(comment).filter(({ localName }) => localName === "replyLst");
  return lists.flatMap((list) => childrenOf(list));
}

function readComment(comment: XmlElement, authors: ReadonlyMap<string, string>): SlideComment {
  const date = comment.getAttribute("dt") || comment.getAttribute("created");
  return {
    author: clip(authors.get(comment.getAttribute("authorId")) ?? "", 100),
    ...(date === "" ? {} : { date }),
    text: clip(textOf(comment).trim(), TEXT_LENGTH),
  };
}

function textOf(comment: XmlElement): string {
  const holders = childrenOf(comment);
  const plain = holders.find(({ localName }) => localName === "text");
  if (plain !== undefined) return plain.textContent;
  const body = holders.find(({ localName }) => localName === "txBody");
  return body === undefined ? "" : descendantsOf(body, "a:p").map(paragraphText).join("\n");
}

function authorsOf(deck: Deck): ReadonlyMap<string, string> {
  const parts = ["commentAuthors", "authors"].flatMap((kind) => deck.pkg.related(deck.main, kind));
  const authors = parts
    .filter(({ target }) => deck.pkg.has(target))
    .flatMap(({ target }) => childrenOf(deck.pkg.xml(target)));
  return new Map(authors.map((author) => [author.getAttribute("id"), author.getAttribute("name")]));
}
