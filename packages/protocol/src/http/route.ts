import type { z } from "zod";
import type { ErrorCode } from "../error.ts";
import type { Role } from "../role.ts";

/** One row of the table: what a route takes, what it gives, and who may call it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for what is to be filled in; `{path}` as the last part may have slashes in it. */
  readonly path: `/${string}`;
  readonly tag: RouteTag;
  readonly summary: string;
  readonly roles: readonly Role[] | "anyone";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** `archive` is the bytes of a ZIP or tar.gz, streamed. */
  readonly body?: z.ZodType | "archive";
  readonly answer: z.ZodType | "bytes" | "nothing";
  readonly status?: 200 | 201 | 204;
  /** `read`: has an ETag, and answers 304 to If-None-Match. `write`: refuses what If-Match does not fit. */
  readonly condition?: "read" | "write";
  /** Failures beyond those that every route may have. */
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
  | "gateway";

/** Keeps the exact types of a row, so that handlers and clients are checked against it. */
export function route<const R extends Route>(row: R): R {
  return row;
}

export const everyone = ["admin", "publisher", "agent", "viewer"] as const;
/** Those who are people. */
export const people = ["admin", "publisher", "viewer"] as const;
export const publishers = ["admin", "publisher"] as const;
export const admins = ["admin"] as const;
