import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askPolicy, scanGuard } from "@skillhold/deps/guard-scan";
import type { GuardHookPorts } from "@skillhold/registry/release";
import { productVersion } from "../place/bundled.ts";
import { writeStaged } from "./missing-hook.ts";

/** The operator's policy program, where $SKILLHOLD_GUARD_PROGRAM names one by its absolute path. */
export function guardPorts(env: Readonly<Record<string, string | undefined>>): GuardHookPorts {
  const program = env["SKILLHOLD_GUARD_PROGRAM"];
  if (program === undefined || program === "") return { scan: scanGuard };
  return {
    scan: scanGuard,
    policy: async (staged, report, signal) => {
      const stage = await mkdtemp(join(tmpdir(), "skillhold-guard-"));
      try {
        const folder = await writeStaged(staged, join(stage, staged.id));
        const question = {
          version: productVersion(),
          skill: staged.id,
          folder,
          origin: { type: "registry", slug: staged.id },
        };
        const path = env["PATH"];
        return await askPolicy(
          { argv: [program], env: path === undefined ? {} : { PATH: path } },
          question,
          report,
          signal,
        );
      } finally {
        await rm(stage, { recursive: true, force: true });
      }
    },
  };
}
