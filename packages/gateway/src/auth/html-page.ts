import { hash } from "node:crypto";

export interface HtmlPage {
  readonly title: string;
  /** The inside of `main`. */
  readonly body: string;
  readonly script: string;
}

const style = `:root { color-scheme: light dark; font: 1.05rem/1.5 system-ui, sans-serif; }
body { margin: 0; background: Canvas; color: CanvasText; display: grid; min-height: 90vh; place-content: center; }
main { max-width: 36rem; padding: 1.5rem; }
h1 { font-size: 1.4rem; margin: 0 0 0.75rem; }
code, pre { font: 0.95em ui-monospace, monospace; }
a { color: LinkText; }
pre { padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 0.4rem; }
`;

/**
 * A page by itself: nothing of it is loaded from anywhere, and it runs its own script alone. Contract: nothing in it
 * comes from a request.
 */
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
