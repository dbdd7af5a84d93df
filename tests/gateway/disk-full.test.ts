import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fsck } from "@skillhold/registry/fsck";
import { publishFolder } from "@skillhold/registry/release";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

const MB = 1024 * 1024;
let gateway: TestGateway | undefined;
const mounts: string[] = [];
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  for (const place of mounts.splice(0)) {
    execFileSync("umount", ["-l", place]);
    rmSync(place, { recursive: true, force: true });
  }
});

/** Why a small file system cannot be mounted; undefined if it can. */
function noMount(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root can mount a file system";
  try {
    mountSmall(MB);
    return undefined;
  } catch {
    return "this machine does not allow mounts";
  }
}

function mountSmall(bytes: number): string {
  const place = mkdtempSync(join(tmpdir(), "skillhold-small-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=700`, "none", place], { stdio: "pipe" });
  mounts.push(place);
  return place;
}

const reason = noMount();
describe.skipIf(reason !== undefined)(
  `a full disk${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  () => {
    test("fails writes with its own code, keeps reads, and loses no acknowledged revision [S-41] [S-53]", async () => {
      const disk = mountSmall(24 * MB);
      const url = `sqlite:${join(disk, "registry.db")}`;
      // The copies, the uploads and the store are all on the small disk.
      vi.stubEnv("TMPDIR", disk);
      gateway = await openTestGateway({ url, options: { temporary: disk } });
      vi.unstubAllEnvs();
      const { registry } = gateway;
      const admin = await gateway.asRole("admin", "ann");
      await putSkill(gateway, "first", "ann", "public");
      const agent = await gateway.asRole("agent", "ann", "writer");
      expect((await ask(gateway, "GET", "/readyz")).status).toBe(200);
      const acknowledged: string[] = [];
      const source = mkdtempSync(join(tmpdir(), "skillhold-large-"));
      let failure: unknown;
      for (let round = 0; round < 60 && failure === undefined; round += 1) {
        const folder = join(source, `large-${round}`);
        mkdirSync(folder);
        writeFileSync(
          join(folder, "SKILL.md"),
          `---\nname: large-${round}\ndescription: Large.\n---\nText.\n`,
        );
        writeFileSync(join(folder, "data.bin"), randomBytes(MB));
        await publishFolder(folder, { by: { user: "ann", role: "publisher" } }, registry).then(
          ({ id }) => acknowledged.push(id),
          (error: unknown) => {
            failure = error;
          },
        );
      }
      rmSync(source, { recursive: true, force: true });
      expect(failure).toMatchObject({ code: "DISK_FULL" });
      expect(acknowledged.length).toBeGreaterThan(5);
      // Fill the rest, so that not even a record fits.
      execFileSync("sh", ["-c", `head -c 30000000 /dev/zero > ${join(disk, "filler")} || true`], {
        stdio: "ignore",
      });
      expect(await problemOf(await ask(gateway, "GET", "/readyz"))).toMatchObject({ code: "DISK_FULL" });
      expect((await ask(gateway, "GET", "/healthz")).status).toBe(200);
      const list = await answerOf("listSkills", await ask(gateway, "GET", "/v1/skills", { headers: admin }));
      expect(list.skills).toHaveLength(acknowledged.length + 1);
      expect((await ask(gateway, "GET", "/v1/skills/first", { headers: admin })).status).toBe(200);
      // Content for agents is recorded before it is served, so it needs space for the record.
      const refused = await ask(gateway, "GET", "/v1/skills/first", { headers: agent });
      expect(await problemOf(refused)).toMatchObject({ code: "DISK_FULL", status: 507 });
      rmSync(join(disk, "filler"));
      await gateway.close();
      gateway = undefined;
      const store = await openRegistryStore(url);
      const report = await fsck({}, { ...registry, store });
      expect(report.findings).toEqual([]);
      for (const id of acknowledged) expect(await store.findSkill(id)).toMatchObject({ revision: 1 });
      await store.close();
    });

    test("a full disk for copies does not fail reads of a store on another disk [S-41] [S-53]", async () => {
      const disk = mountSmall(MB);
      const folder = mkdtempSync(join(tmpdir(), "skillhold-roomy-"));
      vi.stubEnv("TMPDIR", disk);
      gateway = await openTestGateway({ url: `sqlite:${join(folder, "registry.db")}` });
      vi.unstubAllEnvs();
      await putSkill(gateway, "first", "ann");
      execFileSync("sh", ["-c", `head -c 2000000 /dev/zero > ${join(disk, "filler")} || true`], {
        stdio: "ignore",
      });
      const headers = await gateway.asRole("admin", "ann");
      const read = await answerOf("getSkill", await ask(gateway, "GET", "/v1/skills/first", { headers }));
      expect(read.body).toBe("Do it.\n");
      const file = await ask(gateway, "GET", "/v1/skills/first/files/SKILL.md", { headers });
      expect(file.status).toBe(200);
      await gateway.close();
      gateway = undefined;
      rmSync(folder, { recursive: true, force: true });
    });
  },
);

test("a write without space is a problem with its own code, whatever noticed it [S-53]", async () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "write" });
  gateway = await openTestGateway({
    audit: {
      record: async () => {
        throw new Error("The record failed.", { cause: full });
      },
    },
  });
  await putSkill(gateway, "first", "ann", "public");
  const headers = await gateway.asRole("agent", "ann", "writer");
  const problem = await problemOf(await ask(gateway, "GET", "/v1/skills/first", { headers }));
  expect(problem).toMatchObject({ code: "DISK_FULL", status: 507 });
  expect(JSON.stringify(problem)).not.toContain("no space left");
});
