import { SkillError } from "@skillhold/protocol/error";
import type { Opened } from "../open.ts";
import { count } from "../terminal/text.ts";
import { type Check, fail, ok } from "./check.ts";

/** Whether the registry can be reached, and what is in it. */
export function checkStore(store: Opened["store"] | SkillError, flags: string): Check {
  const name = "store";
  if (store === undefined)
    return ok(name, "No store of published skills is looked at; `skillhold publish` makes one.");
  if (store instanceof SkillError) return fail(name, store.message, store.hint);
  const skills = count(store.library.layer.shelf.view().entries.length, "skill");
  return ok(name, `${skills} in ${store.address}; \`skillhold fsck${flags}\` verifies every byte.`);
}
