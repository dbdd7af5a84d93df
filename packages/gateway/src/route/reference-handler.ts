import { shortHash } from "../bytes.ts";
import type { Handlers } from "../http/handler.ts";
import { type OpenApi, type OpenApiOperation, openApi } from "../http/openapi.ts";

/** The document of a version is the same for everyone and built once. */
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
  const built = { document, etag: shortHash(JSON.stringify(document)) };
  documents.set(version, built);
  return built;
}

/** The reference as one page without scripts or other files. */
function referencePage({ info, tags, paths }: OpenApi): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }) => ({
    name,
    rows: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const links = groups.map(({ name }) => `<a href="#${name}">${name}</a>`).join(" ");
  const sections = groups.map(
    ({ name, rows }) => `<h2 id="${name}">${name}</h2>\n${rows.map(sectionOf).join("\n")}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Skillhold routes</title><style>${style}</style></head>
<body><header><h1>Skillhold routes</h1>
<p>Version ${escapeHtml(String(info["version"]))}. As OpenAPI: <a href="openapi.json">openapi.json</a>.
Every route needs <code>Authorization: Bearer &lt;token&gt;</code>, except those marked “anyone”.</p>
<nav aria-label="Groups">${links}</nav></header><main>
${sections.join("\n")}
</main></body></html>
`;
}

/** The page loads only its own style. */
const referenceCsp =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface ReferenceRow {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function sectionOf({ path, method, operation }: ReferenceRow): string {
  const { operationId, summary } = operation;
  const roles = operation["x-skillhold-roles"];
  const callers = Array.isArray(roles) ? roles.join(", ") : "anyone";
  return `<details id="${operationId}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
<p>Roles: ${escapeHtml(callers)}.</p>
${partOf("Parameters", operation["parameters"])}${partOf("Body", operation["requestBody"])}${partOf("Responses", operation["responses"])}</details>`;
}

function partOf(title: string, value: unknown): string {
  if (value === undefined) return "";
  return `<h3>${title}</h3><pre tabindex="0">${escapeHtml(JSON.stringify(value, undefined, 2))}</pre>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
a { color: light-dark(#4f4fc4, #9a9af2); }
nav a { margin-right: .75rem; }
details { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; background: color-mix(in srgb, currentColor 7%, transparent); font-size: .85rem; }
h3 { margin-bottom: .25rem; font-size: 1rem; }
`;
