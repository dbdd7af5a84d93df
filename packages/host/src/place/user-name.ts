import { userInfo } from "node:os";
import type { Env } from "./machine.ts";

/** The name of the account that runs this process. */
export function accountName(env: Env): string {
  try {
    return userInfo().username;
  } catch {
    // Containers often run under a numeric user id without an account.
    return env["USER"] || `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/** The user whose skills are "mine": `$SKILLHOLD_USER`, or the account's name. */
export function userName(env: Env): string {
  return env["SKILLHOLD_USER"] || accountName(env);
}
