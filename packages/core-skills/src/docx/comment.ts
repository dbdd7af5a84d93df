import { clip } from "../shared/bounded.ts";
import { attributeOf, childrenOf, descendantsOf, hasTag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { WordFile } from "./word-file.ts";

export type Comment = {
  readonly id: string;
  readonly author: string;
  readonly date?: string;
  readonly text: string;
  /** The text that it is about. */
  readonly about: string;
};

const TEXT_LENGTH = 500;

export function commentsOf(file: WordFile): readonly Comment[] {
  const part = file.part("comments");
  if (part === undefined) return [];
  const about = commentedText(file.body);
  return childrenOf(file.pkg.xml(part), "w:comment").map((comment) => {
    const id = attributeOf(comment, "w:id") ?? "";
    const date = attributeOf(comment, "w:date");
    const paragraphs = descendantsOf(comment, "w:p").map((paragraph) =>
      descendantsOf(paragraph, "w:t")
        .map((text) => text.textContent)
        .join(""),
    );
    return {
      id,
      author: clip(attributeOf(comment, "w:author") ?? "", 100),
      ...(date === undefined ? {} : { date }),
      text: clip(paragraphs.join("\n").trim(), TEXT_LENGTH),
      about: clip(about.get(id) ?? "", TEXT_LENGTH),
    };
  });
}

/** Ranges of comments may overlap and go over paragraphs: each open one takes the text that comes by. */
function commentedText(body: XmlElement): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const open = new Set<string>();
  const visit = (element: XmlElement): void => {
    for (const child of childrenOf(element)) {
      if (hasTag(child, "w:commentRangeStart")) open.add(attributeOf(child, "w:id") ?? "");
      else if (hasTag(child, "w:commentRangeEnd")) open.delete(attributeOf(child, "w:id") ?? "");
      else if (hasTag(child, "w:t")) {
        for (const id of open) {
          const text = texts.get(id) ?? "";
          if (text.length <= TEXT_LENGTH) texts.set(id, text + child.textContent);
        }
      } else visit(child);
    }
  };
  visit(body);
  return texts;
}
