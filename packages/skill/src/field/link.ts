import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import type { Finding } from "../rule/finding.ts";
import { type FrontmatterValue, isMap, textOf } from "../yaml/value.ts";
import { readYaml } from "../yaml/yaml.ts";

export interface ReferenceLink {
  readonly title: string;
  readonly url: string;
}

export interface LinkList {
  readonly links: readonly ReferenceLink[];
  readonly findings: readonly Finding[];
}

/**
 * Reads links.yaml: a list of `title` and `url` (or plain URLs), a mapping of titles to URLs, or either of these
 * below `links:`. Only http and https links are kept.
 */
export function readLinks(text: string, limits: Limits = defaultLimits): LinkList {
  const value = text.length > limits.frontmatterBytes ? undefined : readYaml(text, limits).value;
  if (value === null) return { links: [], findings: [] };
  const items =
    value === undefined
      ? undefined
      : linkItems(isMap(value) && value["links"] !== undefined ? value["links"] : value);
  const links = (items ?? []).flatMap((item) => readLink(item));
  const isClean = items !== undefined && links.length === items.length;
  const message =
    items === undefined
      ? "links.yaml is not a list of links."
      : "links.yaml has entries that are not web links.";
  return {
    links,
    findings: isClean ? [] : [{ code: "LINKS_MALFORMED", line: 1, column: 1, message, file: "links.yaml" }],
  };
}

type LinkItem = { readonly title?: string | undefined; readonly value: FrontmatterValue | undefined };

function linkItems(value: FrontmatterValue): readonly LinkItem[] | undefined {
  if (isMap(value)) return Object.entries(value).map(([title, item]) => ({ title, value: item }));
  return Array.isArray(value) ? value.map((item) => ({ value: item })) : undefined;
}

function readLink({ title, value }: LinkItem): readonly ReferenceLink[] {
  const map = isMap(value) ? value : { url: value ?? null };
  const url = textOf(map["url"]) ?? textOf(map["href"]) ?? textOf(map["link"]);
  if (url === undefined || !/^https?:\/\/\S+$/i.test(url)) return [];
  return [{ title: textOf(map["title"]) ?? textOf(map["name"]) ?? title ?? url, url }];
}
