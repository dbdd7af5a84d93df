import type { CatalogueFormat } from "./format.ts";
import { jsonLayout } from "./json.ts";
import type { Layout } from "./layout.ts";
import { markdownLayout } from "./markdown.ts";
import { attributeLayout, nestedLayout } from "./xml.ts";

export const layouts: Readonly<Record<CatalogueFormat, Layout>> = {
  xml: nestedLayout,
  "xml-attr": attributeLayout,
  markdown: markdownLayout,
  json: jsonLayout,
};
