import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { text, json, skill } = registryScene({ beforeEach, afterEach });

beforeEach(async () => {
  skill("pdf");
  await text(["publish", "pdf"]);
  skill("pdf", "Do more.\n");
  await text(["publish", "pdf"]);
  await text(["agent", "add", "writer", "--runtime", "claude-code"]);
});

test("grant --manage is rejected for an agent [S-43] [S-60]", async () => {
  const { code, err } = await text(["grant", "pdf", "--agent", "writer", "--manage"]);
  expect(code).toBe(2);
  expect(err).toContain("The agent writer cannot manage a skill: only users can.");
  expect((await json(["access", "pdf"])).data.grants).toEqual([]);
});

const asBob = ["--by", "bob"];

describe("grant and revoke", () => {
  test("the first grant makes a private skill internal, and revoking the last makes it private again [S-43]", async () => {
    expect((await text(["grant", "pdf", "--agent", "writer"])).out).toBe(
      "pdf: granted to the agent writer, internal\n",
    );
    expect((await text(["grant", "pdf", "--user", "bob", "--pin", "1", "--manage"])).out).toBe(
      "pdf: granted to the user bob, revision 1 only, with manage rights, internal\n",
    );
    expect((await text(["grant", "pdf", "--agent", "writer"])).out).toBe(
      "pdf: already granted to the agent writer\n",
    );
    expect((await text(["revoke", "pdf", "--agent", "writer"])).out).toBe(
      "pdf: revoked from the agent writer, internal\n",
    );
    expect((await text(["revoke", "pdf", "--user", "bob"])).out).toBe(
      "pdf: revoked from the user bob, private\n",
    );
    expect((await text(["revoke", "pdf", "--user", "bob"])).out).toBe(
      "pdf: was not granted to the user bob\n",
    );
  });

  test("--json returns the grant in a stable shape [S-43] [S-60]", async () => {
    const { code, data } = await json(["grant", "pdf", "--agent", "writer", "--pin", "2"]);
    expect({ code, data }).toEqual({
      code: 0,
      data: {
        id: "pdf",
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        grantee: { kind: "agent", key: "writer" },
        status: "granted",
        visibility: "internal",
        canManage: false,
        pin: 2,
        isDryRun: false,
      },
    });
    expect((await json(["revoke", "pdf", "--agent", "writer"])).data).toMatchObject({
      status: "revoked",
      visibility: "private",
    });
  });

  test("--dry-run prints the result or the error [S-60]", async () => {
    expect((await text(["grant", "pdf", "--user", "bob", "--dry-run"])).out).toBe(
      "pdf: would be granted to the user bob, internal\n",
    );
    expect((await json(["access", "pdf"])).data).toMatchObject({
      skill: { visibility: "private" },
      grants: [],
    });
    await text(["grant", "pdf", "--user", "bob"]);
    expect((await text(["revoke", "pdf", "--user", "bob", "--dry-run"])).out).toBe(
      "pdf: would be revoked from the user bob, private\n",
    );
    expect((await json(["grant", "pdf", "--user", "bob", "--pin", "9", "--dry-run"])).code).toBe(5);
  });

  test("need one existing agent or user, and an existing revision [S-43] [S-60]", async () => {
    for (const command of ["grant", "revoke"]) {
      expect((await json([command, "pdf"])).code).toBe(2);
      expect((await json([command, "pdf", "--agent", "writer", "--user", "bob"])).code).toBe(2);
    }
    expect((await json(["grant", "pdf", "--agent", "nobody"])).code).toBe(5);
    expect((await json(["grant", "pdf", "--user", "bob", "--pin", "x"])).code).toBe(2);
    expect(await json(["grant", "pdf", "--user", "bob", "--pin", "9"])).toMatchObject({
      code: 5,
      error: { code: "REVISION_NOT_FOUND", hint: "Run `skillhold versions pdf` to list the revisions." },
    });
    expect(await json(["grant", "pfd", "--user", "bob"])).toMatchObject({
      code: 5,
      error: { message: "There is no skill pfd.", hint: "Did you mean pdf?" },
    });
  });

  test("are reserved for the owner, managers and administrators [S-43]", async () => {
    const grant = ["grant", "pdf", "--user", "eve"];
    expect(await json([...grant, ...asBob])).toMatchObject({
      code: 5,
      error: { message: "There is no skill pdf." },
    });
    expect((await json([...grant, ...asBob, "--role", "admin"])).code).toBe(0);
    await text(["grant", "pdf", "--user", "bob"]);
    expect((await json(["revoke", "pdf", "--user", "eve", ...asBob])).code).toBe(5);
    await text(["grant", "pdf", "--user", "bob", "--manage"]);
    expect((await json(["revoke", "pdf", "--user", "eve", ...asBob])).data.status).toBe("revoked");
    expect((await json(["access", "pdf"])).data.grants).toMatchObject([
      { grantee: { kind: "user", key: "bob" }, canManage: true, grantedBy: "ann" },
    ]);
  });
});

describe("access", () => {
  test("shows the owner and the grants of a skill [S-43]", async () => {
    await text(["grant", "pdf", "--agent", "writer", "--pin", "1"]);
    const { code, out, err } = await text(["access", "pdf"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^pdf: internal, owned by ann, on, active, revision 2\nGRANTED TO +PIN +MANAGES +BY +SINCE\nagent writer +1 +no +ann +\d{4}-.*\nFor the user ann in skillhold-cli: visible, revision 2 \(owner\)\. The skill is visible: ann owns it\.\n$/,
    );
    expect(err).toBe("1 grant\n");
  });

  test("decides for the named viewer and names the rule [S-19] [S-43]", async () => {
    await text(["grant", "pdf", "--agent", "writer", "--pin", "1"]);
    const decide = async (...options: readonly string[]) => (await json(["access", "pdf", ...options])).data;
    expect((await decide("--agent", "writer")).decision).toMatchObject({
      isVisible: true,
      reason: "visible",
      rule: "agent-grant",
      revision: 1,
      message: "The skill is visible: granted to the agent writer. The viewer is pinned to revision 1.",
    });
    expect((await decide("--agent", "writer")).viewer).toEqual({
      runtime: "claude-code",
      agent: "writer",
      pins: {},
    });
    expect((await decide("--user", "bob")).decision).toMatchObject({
      isVisible: false,
      reason: "no-grant",
      message: "The skill is internal and not granted to the user bob.",
    });
    expect((await decide("--agent", "writer", "--user", "bob")).decision.rule).toBe("agent-grant");
    await text(["agent", "edit", "writer", "--allow", "docx"]);
    expect((await decide("--agent", "writer")).decision.reason).toBe("not-allowed");
    expect((await text(["access", "pdf", "--agent", "writer"])).out).toMatch(
      /\nFor the agent writer in claude-code: hidden \(not-allowed\)\. The skill is not on the viewer's allow list\.\n$/,
    );
  });

  test("names every rule that hides a skill [S-19] [S-44]", async () => {
    skill("molecule", "Do.\n", "runtime: [molecule]\n");
    await text(["publish", "molecule"]);
    const reason = async (...argv: readonly string[]) =>
      (await json(["access", ...argv])).data.decision.reason;
    expect(await reason("molecule")).toBe("runtime");
    expect(await reason("molecule", "--runtime", "molecule")).toBe("visible");
    await text(["archive", "pdf", "--reason", "It is old."]);
    expect(await reason("pdf")).toBe("archived");
    await text(["disable", "pdf"]);
    expect(await reason("pdf")).toBe("disabled");
    await text(["delete", "pdf"]);
    expect((await json(["access", "pdf"])).data).toMatchObject({
      skill: { status: "deleted" },
      decision: null,
    });
  });

  test("shows all access to managers, and grantees only their own [S-43]", async () => {
    expect((await json(["access", "pdf", ...asBob])).code).toBe(5);
    await text(["grant", "pdf", "--user", "bob", "--pin", "1"]);
    const own = await json(["access", "pdf", ...asBob]);
    expect(own.data).toMatchObject({ grants: null, decision: { rule: "user-grant", revision: 1 } });
    expect((await json(["access", "pdf", ...asBob, "--user", "bob"])).code).toBe(0);
    for (const other of [
      ["--user", "eve"],
      ["--agent", "writer"],
    ])
      expect(await json(["access", "pdf", ...asBob, ...other])).toMatchObject({
        code: 4,
        error: { code: "POLICY_DENIED" },
      });
    expect(
      (await json(["access", "pdf", ...asBob, "--role", "admin", "--user", "eve"])).data.grants,
    ).toHaveLength(1);
  });
});

test("approvers shows and names the people who answer approvals of a skill [S-70] [S-60]", async () => {
  const asAdmin = ["--role", "admin"];
  expect((await text(["approvers", "pdf"])).out).toBe(
    "pdf: answered by its owner, its managers and administrators\n",
  );
  expect(await json(["approvers", "pdf", "--user", "bob"])).toMatchObject({
    code: 4,
    error: { code: "POLICY_DENIED" },
  });
  expect(await json(["approvers", "pdf", "--user", "nobody", ...asAdmin])).toMatchObject({
    error: { code: "USER_NOT_FOUND" },
  });
  await text(["grant", "pdf", "--user", "bob"]);
  await text(["grant", "pdf", "--user", "ann"]);
  const named = ["approvers", "pdf", "--user", "bob", "--user", "ann", ...asAdmin];
  expect((await text([...named, "--dry-run"])).out).toBe(
    "pdf: would be answered by ann, bob and administrators\n",
  );
  expect((await json(["approvers", "pdf"])).data).toMatchObject({ approvers: [] });
  expect((await json(named)).data).toMatchObject({ id: "pdf", approvers: ["ann", "bob"], isDryRun: false });
  expect((await text(["approvers", "pdf", "--user", "bob", "--reset", ...asAdmin])).code).toBe(2);
  expect((await json(["approvers", "pdf", "--reset", ...asAdmin])).data).toMatchObject({ approvers: [] });
});
