import { posix } from "node:path";
import { extensionOf, type OfficePackage } from "./office-package.ts";
import { attributeOf, childrenOf, setAttributeOf, type Tag } from "./office-xml.ts";
import type { XmlElement } from "./xml.ts";

/** Where parts of another package went, by their old names. */
export type Copied = Map<string, string>;

/**
 * Says which part of the target stands for one of the source, so that it is not copied. Null leaves the relationship
 * out.
 */
export type Stand = (name: string, kind: string) => string | null | undefined;

/** Copies a part, and all that it relates to, from one package to another, under names that are free there. */
export function copyPart(
  name: string,
  from: OfficePackage,
  to: OfficePackage,
  copied: Copied = new Map(),
  standFor: Stand = () => undefined,
): string {
  const known = copied.get(name);
  if (known !== undefined) return known;
  const target = freeNameLike(name, to);
  copied.set(name, target);
  to.set(target, from.bytes(name), from.contentType(name) ?? "application/octet-stream");
  const ids = new Map<string, string>();
  for (const { id, type, kind, target: related, isExternal } of from.relations(name)) {
    if (!isExternal && !from.has(related)) continue;
    const stand = isExternal ? related : standFor(related, kind);
    if (stand === null) continue;
    const place = stand ?? copyPart(related, from, to, copied, standFor);
    ids.set(id, to.relate(target, type, place, isExternal));
  }
  const hasMoved = [...ids].some(([before, after]) => before !== after);
  if (hasMoved) renameIds(to.edit(target), ids);
  return target;
}

/** Gives the relationships that the elements name their new ids. */
export function renameIds(element: XmlElement, ids: ReadonlyMap<string, string>): void {
  for (const tag of idAttributes) {
    const id = ids.get(attributeOf(element, tag) ?? "");
    if (id !== undefined) setAttributeOf(element, tag, id);
  }
  for (const child of childrenOf(element)) renameIds(child, ids);
}

/** The attributes by which elements name relationships. */
export const idAttributes = [
  ...(["r:id", "r:embed", "r:link", "r:pict", "r:dm", "r:lo", "r:qs", "r:cs"] as const),
] as const satisfies readonly Tag[];

function freeNameLike(name: string, to: OfficePackage): string {
  const { dir, name: base } = posix.parse(name);
  return to.freeName(posix.join(dir, base.replace(/\d+$/, "") || "part"), extensionOf(name) || "bin");
}
