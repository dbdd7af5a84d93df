import { SkillError } from "@skillhold/protocol/error";
import { chooseEncoding } from "../http/compression.ts";
import { isFresh } from "../http/condition.ts";
import type { RunningContext } from "../running-context.ts";
import type { ConsoleFile, ConsoleSite } from "./console-file.ts";
import type { GatewayPage } from "./page.ts";

/** The files of the console. Every view of it has its own URL and the same page. */
export const consolePage: GatewayPage = {
  path: "/*",
  answer: async ({ request, requestId }, { site }) => {
    const file = site === undefined ? undefined : findFile(request, site);
    if (file === undefined) throw new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
    return await fileResponse(file, request, requestId);
  },
};

/** The rendered documents below /docs. They are the same for everyone and need no token. */
export const docsPages: readonly GatewayPage[] = (["/docs", "/docs/:path{.*}"] as const).map((path) => ({
  path,
  answer: async ({ request, requestId }, { docsSite }) => {
    const { pathname } = new URL(request.url);
    if (docsSite === undefined)
      throw new SkillError("ROUTE_NOT_FOUND", "The documents are not rendered here.", {
        hint: "Run `npm run docs` in the clone and restart the gateway.",
      });
    // Relative links need the slash.
    if (pathname === "/docs")
      return new Response(null, { status: 308, headers: { location: "/docs/", "x-request-id": requestId } });
    const below = pathname.slice("/docs".length);
    const file = docsSite.files.get(below.endsWith("/") ? `${below}index.html` : below);
    if (file === undefined) throw new SkillError("ROUTE_NOT_FOUND", "There is no such page.");
    return await fileResponse(file, request, requestId);
  },
}));

/** Whether the console serves this request. */
export function isConsolePath(request: Request, { site }: Pick<RunningContext, "site">): boolean {
  return isGet(request) && site !== undefined && findFile(request, site) !== undefined;
}

function isGet({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** The file for a request; undefined when the console does not serve it. */
function findFile(request: Request, { index, files }: ConsoleSite): ConsoleFile | undefined {
  const { pathname } = new URL(request.url);
  const file = files.get(pathname);
  if (file !== undefined) return file;
  if (pathname === "/") return index;
  const [first = ""] = pathname.slice(1).split("/", 1);
  const accepts = request.headers.get("accept") ?? "";
  return !apiSegments.has(first) && /(?:^|[\s,])text\/html(?:[\s,;]|$)/i.test(accepts) ? index : undefined;
}

/** First segments that are never views: a program gets an error for a missing route, not a page. */
const apiSegments: ReadonlySet<string> = new Set([
  ".well-known",
  "assets",
  "bundles",
  "docs",
  "healthz",
  "mcp",
  "metrics",
  "openapi.json",
  "readyz",
  "reference",
  "registry",
  "sign-in",
  "v1",
  "ws",
]);

async function fileResponse(file: ConsoleFile, request: Request, requestId: string): Promise<Response> {
  const { type, tag, isFixed, pack } = file;
  const headers = new Headers({
    ...pageHeaders,
    "content-type": type,
    // A weak tag, because the same file has different bytes per encoding.
    etag: `W/"${tag}"`,
    "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
    "x-request-id": requestId,
  });
  if (pack !== undefined) headers.set("vary", "accept-encoding");
  if (isFresh(request.headers, tag)) return new Response(null, { status: 304, headers });
  const encoding = pack === undefined ? undefined : chooseEncoding(request.headers.get("accept-encoding"));
  if (pack === undefined || encoding === undefined) return new Response(file.bytes, { headers });
  headers.set("content-encoding", encoding);
  return new Response(await pack[encoding](), { headers });
}

/** The console runs only its own scripts and loads only from its own origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const pageHeaders = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
