import type { Block, Blocks } from "../shared/block.ts";
import type { ListPlace } from "./numbering.ts";

/** A paragraph of a list, before it is known where the list begins and ends. */
export interface ListItem {
  readonly type: "item";
  readonly place: ListPlace;
  readonly blocks: Blocks;
}

/** Makes lists in lists of the items that stand next to each other: a document only knows paragraphs with levels. */
export function foldLists(items: readonly (Block | ListItem)[]): Blocks {
  const blocks: Block[] = [];
  let run: ListItem[] = [];
  const close = () => {
    blocks.push(...foldRun(run));
    run = [];
  };
  for (const item of items) {
    if (item.type === "item") run.push(item);
    else {
      close();
      blocks.push(item);
    }
  }
  close();
  return blocks;
}

function foldRun(run: readonly ListItem[]): Blocks {
  const [first] = run;
  if (first === undefined) return [];
  const level = run.reduce((least, { place }) => Math.min(least, place.level), first.place.level);
  const lists: Block[] = [];
  let at = 0;
  while (at < run.length) {
    const end = endOfList(run, at, level);
    lists.push(toList(run.slice(at, end), level));
    at = end;
  }
  return lists;
}

/** A list ends where an item of its level is of another list or kind. */
function endOfList(run: readonly ListItem[], at: number, level: number): number {
  const head = run[at]?.place;
  let end = at + 1;
  while (end < run.length) {
    const place = run[end]?.place;
    const isOther =
      place?.level === level &&
      head?.level === level &&
      (place.list !== head.list || place.ordered !== head.ordered);
    if (isOther) break;
    end += 1;
  }
  return end;
}

function toList(run: readonly ListItem[], level: number): Block {
  const items: Blocks[] = [];
  let at = 0;
  while (at < run.length) {
    let end = at + 1;
    while (end < run.length && (run[end]?.place.level ?? 0) > level) end += 1;
    const head = run[at];
    const isHead = head?.place.level === level;
    const own = isHead ? head.blocks : [];
    items.push([...own, ...foldRun(run.slice(isHead ? at + 1 : at, end))]);
    at = end;
  }
  const head = run.find(({ place }) => place.level === level)?.place ?? run[0]?.place;
  return { type: "list", ordered: head?.ordered ?? false, start: head?.start ?? 1, items };
}
