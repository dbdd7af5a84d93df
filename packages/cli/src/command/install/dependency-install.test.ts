import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { FAKE_NPM } from "@skillhold/deps/test/environment/environment.fixture";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readAuditLog } from "../../audit-log.fixture.ts";
import { runJson, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-installing-"));
  chmodSync(root, 0o755);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.runIf(process.platform === "linux")(
  "records the result of an installation and its approval [S-36] [S-62]",
  async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    const args = ["deps", "install", "pdf", "npm:one", "npm:bad", "--root", "skills", "--yes"];
    const { code, data } = await runJson(args, root, { env: environmentWithNpm() });
    expect(code).toBe(1);
    const events = await readAuditLog(join(root, "state"));
    const approved = events.find((event) => event.type === "run.approved");
    expect(approved).toBeDefined();
    expect(events.filter((event) => event.type === "skill.deps_installed")).toMatchObject([
      {
        skill: "pdf",
        hash: approved?.hash,
        run: approved?.run,
        session: approved?.session,
        scope: "skill",
        results: [
          { spec: "npm:one", status: "ok", message: "" },
          { spec: "npm:bad", status: "failed", message: expect.stringContaining("404") },
        ],
        environment: basename(data.environment),
      },
    ]);
  },
);

function environmentWithNpm() {
  const program = writeFile(root, "bin/npm", `#!/bin/sh\n${FAKE_NPM}`);
  chmodSync(program, 0o755);
  return { PATH: `${dirname(program)}:/usr/bin:/bin`, XDG_DATA_HOME: join(root, "state") };
}
