import { runJson, runMain, skillText, writeFile } from "@skillhold/cli/test/fake-host";
import { beforeEach, expect, test } from "vitest";
import { type PostgresScene, postgresScene } from "./postgres-scene.ts";

let base: string;
let env: PostgresScene["env"];
const scene = postgresScene();
beforeEach(() => {
  ({ base, env } = scene());
});

const text = (...argv: readonly string[]) => runMain(argv, base, { env });
const json = (...argv: readonly string[]) => runJson(argv, base, { env });
const asBob = (...argv: readonly string[]) => runJson(argv, base, { env: { ...env, SKILLHOLD_USER: "bob" } });

test("agents, grants and toggles work on PostgreSQL as on SQLite [S-43] [S-44] [S-65]", async () => {
  writeFile(base, "pdf/SKILL.md", skillText("pdf", "Reads PDF files.", "One.\n"));
  await text("publish", "pdf");
  writeFile(base, "pdf/SKILL.md", skillText("pdf", "Reads PDF files.", "Two.\n"));
  await text("publish", "pdf");
  expect((await asBob("versions", "pdf")).code).toBe(5);
  expect((await text("agent", "add", "writer", "--runtime", "claude-code")).code).toBe(0);
  expect((await text("grant", "pdf", "--agent", "writer", "--pin", "1", "--dry-run")).code).toBe(0);
  expect((await asBob("list", "--agent", "writer")).data.skills).toEqual([]);
  expect((await text("grant", "pdf", "--agent", "writer", "--pin", "1")).out).toBe(
    "pdf: granted to the agent writer, revision 1 only, internal\n",
  );
  expect((await asBob("list", "--agent", "writer")).data.skills).toMatchObject([{ id: "pdf", revision: 1 }]);
  expect((await asBob("read", "pdf", "--agent", "writer", "--raw")).data.body).toBe("One.\n");
  expect((await json("access", "pdf", "--agent", "writer")).data.decision.rule).toBe("agent-grant");
  expect((await text("disable", "pdf")).out).toBe("pdf: off in the store, active\n");
  expect((await asBob("list", "--agent", "writer")).data.skills).toEqual([]);
  expect((await text("enable", "pdf", "--role", "admin")).code).toBe(0);
  expect((await json("disable", "pdf", "--root", "pdf")).data.scope).toBe("folder");
  expect((await json("list", "--root", "pdf")).data.hidden).toMatchObject([
    { id: "pdf", reason: "disabled" },
  ]);
  expect((await json("agent", "remove", "writer")).data.revoked).toEqual(["pdf"]);
  expect((await json("access", "pdf")).data.skill.visibility).toBe("private");
  expect((await asBob("list", "--agent", "writer")).code).toBe(5);
  expect((await json("audit", "verify")).data).toMatchObject({ isSound: true });
});
