import { SkillError } from "@skillhold/protocol/error";
import { isFresh } from "../http/condition.ts";
import type { RunningContext } from "../running-context.ts";
import { type ConsoleFile, type ConsoleSite, type Encoding, encodings } from "./console-file.ts";
import type { Page } from "./page.ts";

/** Everything of the console; whichever of its views an address names, the same page shows it. */
export const consolePage: Page = {
  path: "/*",
  answer: async ({ request, requestId }, { site }) => {
    const file = site === undefined ? undefined : findFile(request, site);
    if (file === undefined) throw new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
    return await fileResponse(file, request, requestId);
  },
};

export function isOfConsole(request: Request, { site }: Pick<RunningContext, "site">): boolean {
  return isRead(request) && site !== undefined && findFile(request, site) !== undefined;
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** What a request of the console is for; undefined when it is for something else, or for nothing there is. */
function findFile(request: Request, { index, files }: ConsoleSite): ConsoleFile | undefined {
  const { pathname } = new URL(request.url);
  const found = files.get(pathname);
  if (found !== undefined) return found;
  if (pathname === "/") return index;
  const [first = ""] = pathname.slice(1).split("/", 1);
  const accepts = request.headers.get("accept") ?? "";
  return !others.has(first) && /(?:^|[\s,])text\/html(?:[\s,;]|$)/i.test(accepts) ? index : undefined;
}

/** Where views never are. Programs are told that a route is missing, and get no page instead. */
const others: ReadonlySet<string> = new Set([
  ".well-known",
  "assets",
  "healthz",
  "mcp",
  "metrics",
  "openapi.json",
  "readyz",
  "reference",
  "sign-in",
  "v1",
  "ws",
]);

async function fileResponse(file: ConsoleFile, request: Request, requestId: string): Promise<Response> {
  const { type, tag, isFixed, pack } = file;
  const headers = new Headers({
    ...always,
    "content-type": type,
    // The tag is of what is packed, and the packings of it differ.
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

/** The smallest that is taken. */
function chooseEncoding(accepted: string | null): Encoding | undefined {
  const taken = new Set(
    (accepted ?? "")
      .toLowerCase()
      .split(",")
      .map((part) => part.trim().split(/\s*;\s*/))
      .filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? ""))
      .map(([name]) => name),
  );
  return encodings.find((each) => taken.has(each));
}

/** Nothing runs but what the console was built of, and nothing is fetched from anywhere else. */
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

const always = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
