import { shortHash } from "../digest.ts";
import type { Handlers } from "../http/handler.ts";
import { type OpenApi, openApi } from "../http/openapi.ts";
import { referenceCsp, referencePage } from "../http/reference-page.ts";

/** The document of a version is the same for everyone, and made once. */
const documents = new Map<string, { readonly document: OpenApi; readonly etag: string }>();

export const referenceHandlers: Pick<Handlers, "getOpenApi" | "getReference"> = {
  getOpenApi: async (_call, { version }) => {
    const { document, etag } = documentOf(version);
    return { data: { ...document }, etag };
  },
  getReference: async (_call, { version }) => ({
    bytes: referencePage(documentOf(version).document),
    type: "text/html; charset=utf-8",
    headers: { "content-security-policy": referenceCsp },
  }),
};

function documentOf(version: string) {
  const known = documents.get(version);
  if (known !== undefined) return known;
  const document = openApi(version);
  const made = { document, etag: shortHash(JSON.stringify(document)) };
  documents.set(version, made);
  return made;
}
