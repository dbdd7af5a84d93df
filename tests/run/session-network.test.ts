import { memoryApprovals } from "@skillhold/core";
import type { ApprovalRequest } from "@skillhold/core/approval";
import { capabilityReader } from "@skillhold/deps/guard-scan/capability-reader";
import { fixedAsker } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";
import { openRunning, org } from "./session-run.fixture.ts";

/** Asks the proxy for each host of the arguments, and prints its answers. */
const ASK = `
import os, socket, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ.get("HTTPS_PROXY", ""))
for host in sys.argv[1:]:
    with socket.create_connection((proxy.hostname, proxy.port), timeout=20) as way:
        way.sendall(f"CONNECT {host}:443 HTTP/1.1\\r\\n\\r\\n".encode())
        print(host, way.recv(100).split(b" ")[1].decode())
`;

const reaching = (...hosts: readonly string[]) =>
  hosts.map((host) => `import urllib.request\nurllib.request.urlopen("https://${host}/v1")\n`).join("");

const open = (files: Record<string, string>) =>
  openRunning([org({ "scripts/ask.py": ASK, ...files })], {
    capabilities: capabilityReader(),
    asker: fixedAsker("content"),
  });

test("an open network covers the hosts of the manifest, and the failure names the missing line [S-29] [S-52]", async () => {
  const { session, events } = await open({ "scripts/api.py": reaching("declared.invalid") });
  const run = await session.run("demo", "ask.py", {
    args: ["declared.invalid", "other.invalid"],
    network: "open",
  });
  // The declared host has no address, so the proxy tried it.
  expect(run.stdout).toBe("declared.invalid 502\nother.invalid 403\n");
  expect(run.refusedHosts).toEqual(["other.invalid"]);
  expect(run.stderr).toContain('has no line "network.hosts other.invalid"');
  expect(events.find(({ type }) => type === "run.requested")).toMatchObject({ network: "declared.invalid" });
  await session.close();
});

test("a skill that names no host gets none, and dynamic addresses grant none [S-29] [S-52]", async () => {
  for (const code of ["print(1)", "import sys, urllib.request\nurllib.request.urlopen(sys.argv[1])\n"]) {
    const { session, events } = await open({ "scripts/api.py": code });
    const run = await session.run("demo", "ask.py", { args: ["any.invalid"], network: "open" });
    expect([run.stdout, run.refusedHosts]).toEqual(["any.invalid 403\n", ["any.invalid"]]);
    expect(events.find(({ type }) => type === "run.requested")).toMatchObject({ network: "none" });
    await session.close();
  }
});

test("a host outside the manifest needs its own approval, which names the missing line [S-28] [S-52]", async () => {
  const questions: string[] = [];
  const asker = {
    ask: async ({ network, decision }: ApprovalRequest) => {
      questions.push(`${network}: ${decision.rule} ${decision.reason}`);
      return { answer: "approve", scope: "content", by: "ann" } as const;
    },
  };
  const { session } = await openRunning(
    [org({ "scripts/ask.py": ASK, "scripts/api.py": reaching("declared.invalid") })],
    { capabilities: capabilityReader(), asker },
  );
  const run = async (...hosts: readonly string[]) =>
    (await session.run("demo", "ask.py", { args: ["other.invalid"], network: { hosts } })).stdout;
  expect(await run("declared.invalid")).toBe("other.invalid 403\n");
  expect(questions).toEqual([expect.not.stringContaining("manifest")]);
  expect(await run("declared.invalid", "other.invalid")).toBe("other.invalid 502\n");
  expect(questions[1]).toBe(
    'declared.invalid,other.invalid: capability-manifest The capability manifest of the skill has no line "network.hosts other.invalid".',
  );
  await session.close();
});

test("an update that adds a host waits for a person's approval [S-28] [S-52]", async () => {
  const approvals = memoryApprovals();
  const run = async (hosts: readonly string[], answer: "approve" | "deny") => {
    const seen: string[] = [];
    const asker = {
      ask: async ({ network }: { readonly network: string }) => {
        seen.push(network);
        return answer === "deny"
          ? ({ answer: "deny", by: "ann" } as const)
          : ({ answer: "approve", scope: "content", by: "ann" } as const);
      },
    };
    const { session } = await openRunning(
      [org({ "scripts/ask.py": ASK, "scripts/api.py": reaching(...hosts) })],
      { capabilities: capabilityReader(), asker, approvals },
    );
    const args = ["two.invalid"];
    const result = await session
      .run("demo", "ask.py", { args, network: "open" })
      .catch((error) => error.code);
    await session.close();
    return [seen, typeof result === "string" ? result : result.stdout];
  };
  expect(await run(["one.invalid"], "approve")).toEqual([["one.invalid"], "two.invalid 403\n"]);
  // The same content is approved; the update asks again, with the new host in the question.
  expect(await run(["one.invalid"], "deny")).toEqual([[], "two.invalid 403\n"]);
  const both = "one.invalid,two.invalid";
  expect(await run(["one.invalid", "two.invalid"], "deny")).toEqual([[both], "APPROVAL_DENIED"]);
  expect(await run(["one.invalid", "two.invalid"], "approve")).toEqual([[both], "two.invalid 502\n"]);
});
