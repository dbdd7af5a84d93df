import { safeUrl } from "../../../ui/safe-url.ts";

/** Where a link in a SKILL.md leads. */
export type LinkTarget =
  | { readonly kind: "page"; readonly href: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "nowhere" };

/** Web pages and files of the same skill; anything else leads nowhere. */
export function targetOf(href: string): LinkTarget {
  if (safeUrl(href) !== undefined) return { kind: "page", href };
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || /^[/\\#?]/.test(href) || href === "") return { kind: "nowhere" };
  const [path = ""] = href.split(/[?#]/);
  try {
    const parts = decodeURIComponent(path)
      .split("/")
      .filter((part) => part !== "." && part !== "");
    if (parts.includes("..") || parts.length === 0) return { kind: "nowhere" };
    return { kind: "file", path: parts.join("/") };
  } catch {
    return { kind: "nowhere" };
  }
}
