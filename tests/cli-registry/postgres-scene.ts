import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStores } from "@skillhold/cli/test/registry.fixture";
import { afterEach, beforeEach } from "vitest";
import { freshDatabase } from "../postgres-database.ts";

export interface PostgresScene {
  readonly base: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A working folder and an empty database for each test, for the user `ann`. */
export function postgresScene(): () => PostgresScene {
  let scene: PostgresScene;
  beforeEach(async () => {
    const base = mkdtempSync(join(tmpdir(), "skillhold-cli-postgres-"));
    const env = {
      XDG_DATA_HOME: join(base, "data"),
      SKILLHOLD_USER: "ann",
      SKILLHOLD_STORE: await freshDatabase(),
      PATH: process.env["PATH"],
    };
    scene = { base, env };
  });
  afterEach(() => removeStores(scene.base));
  return () => scene;
}
