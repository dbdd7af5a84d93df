import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findOciLogin } from "@skillhold/registry/install";
import type { Env } from "../place/machine.ts";

/** The login that `docker login` and similar programs stored for a registry. Credential helpers are not started. */
export async function dockerLogin(env: Env, host: string): Promise<string | undefined> {
  const folder = env["DOCKER_CONFIG"] || join(env["HOME"] ?? "/", ".docker");
  try {
    return findOciLogin(await readFile(join(folder, "config.json"), "utf8"), host);
  } catch {
    // Without a readable file there is no login; the registry then says whether it needs one.
    return undefined;
  }
}
