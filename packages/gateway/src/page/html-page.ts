import { hash } from "node:crypto";

export interface HtmlPage {
  readonly title: string;
  /** The inside of `main`. */
  readonly body: string;
  readonly script: string;
}

/** The colors of the console, which a standalone page cannot load. */
const style = `:root { color-scheme: light dark; font: 0.875rem/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body { margin: 0; background: light-dark(#fbfbfc, #0c0c0f); color: light-dark(#5c5c69, #a6a6b4); display: grid; min-height: 90vh; place-content: center; }
main { box-sizing: border-box; width: min(28rem, 100vw); padding: 1.5rem; }
svg { width: 2.5rem; height: 2.5rem; }
h1 { margin: 1rem 0; font-size: 1.25rem; color: light-dark(#16161a, #ededf2); }
code, pre { font: 0.8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: light-dark(#16161a, #ededf2); }
a { color: light-dark(#4f4fc4, #9a9af2); }
pre { padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; background: light-dark(#ffffff, #131318); border: 1px solid light-dark(#e4e4e9, #26262f); border-radius: 0.5rem; }
button { padding: 0.4rem 0.8rem; font: inherit; color: light-dark(#ffffff, #0c0c0f); background: light-dark(#4f4fc4, #9a9af2); border: 0; border-radius: 0.375rem; cursor: pointer; }
`;

const icon =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#5b5bd6"/><path d="M9 10.5h14M9 16h9M9 21.5h14" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><circle cx="22" cy="16" r="2" fill="#fff"/></svg>';

/** A standalone page that loads no other files and runs only its own script. Contract: it contains no request data. */
export function htmlResponse({ title, body, script }: HtmlPage, requestId: string): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${icon}
${body}
</main>
<script>${script}</script>
</body>
</html>
`;
  return new Response(html, { headers: { ...headersFor(script), "x-request-id": requestId } });
}

function headersFor(script: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src '${hashSource(script)}'`,
    `style-src '${hashSource(style)}'`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function hashSource(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}
