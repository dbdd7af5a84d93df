import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GuardHookPorts } from "@skillhold/registry/release";
import type { GuardScan } from "@skillhold/skill/guard";
import { productVersion } from "../place/bundled.ts";
import { writeStaged } from "./missing-hook.ts";

/** The grammars and rules are large, and a gateway scans in another process. */
const scan: GuardScan = async (files, options) =>
  (await import("@skillhold/deps/guard-scan")).scanGuard(files, options);

/** The operator's policy program, where $SKILLHOLD_GUARD_PROGRAM names one by its absolute path. */
export function guardPorts(env: Readonly<Record<string, string | undefined>>): GuardHookPorts {
  const program = env["SKILLHOLD_GUARD_PROGRAM"];
  if (program === undefined || program === "") return { scan };
  return {
    scan,
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
        const { askPolicy } = await import("@skillhold/deps/guard-scan");
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
