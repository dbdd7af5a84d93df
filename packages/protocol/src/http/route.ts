import type { z } from "zod";
import type { ErrorCode } from "../error.ts";
import type { Role } from "../role.ts";

/**
 * One row of the table: the input of a route, its response, and who may call it. A row whose response is raw bytes states
 * whether those bytes are skill content.
 */
export type Route = RouteFields &
  (
    | { readonly answer: "bytes"; readonly content: RouteContent }
    | { readonly answer: z.ZodType | "nothing"; readonly content?: RouteContent }
  );

/**
 * `skill`: the response contains the instructions or files of a skill. Its handler must return what it serves, and the
 * gateway records that before it sends the response.
 */
export type RouteContent = "skill" | "none";

interface RouteFields {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` placeholders; a final `{path}` may contain slashes. */
  readonly path: `/${string}`;
  readonly tag: RouteTag;
  readonly summary: string;
  readonly roles: readonly Role[] | "anyone";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** `archive` is a streamed ZIP or tar.gz. */
  readonly body?: z.ZodType | "archive";
  readonly status?: 200 | 201 | 202 | 204;
  /**
   * `read`: sends an ETag and answers If-None-Match with 304. `write`: rejects a request whose If-Match does
   * not match.
   */
  readonly condition?: "read" | "write";
  /** A browser session may call the route only within `webSessionFreshMs` of its sign-in. */
  readonly isSensitive?: true;
  /** Failures in addition to those of every route. */
  readonly errors?: readonly ErrorCode[];
}

export type RouteTag =
  | "skills"
  | "releases"
  | "access"
  | "agents"
  | "tokens"
  | "sessions"
  | "approvals"
  | "dependencies"
  | "audit"
  | "secrets"
  | "guard"
  | "proposals"
  | "webhooks"
  | "workspaces"
  | "evals"
  | "gateway";

/** Keeps the exact types of a row, so that handlers and clients are type-checked against it. */
export function route<const R extends Route>(row: R): R {
  return row;
}

export const everyone = ["admin", "publisher", "agent", "viewer"] as const;
/** The roles of human users. */
export const people = ["admin", "publisher", "viewer"] as const;
export const publishers = ["admin", "publisher"] as const;
export const admins = ["admin"] as const;
