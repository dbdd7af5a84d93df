import type { Trust } from "@skillhold/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, explainDecision, explainPolicy } from "./decide.ts";
import type { Act, PolicyRequest, Verdict } from "./policy.ts";
import { defaultRules, type Rules, tiers } from "./rules.ts";

const acts: readonly Act[] = ["run_script", "call_tool", "shell_in_prompt", "install"];
const networks = ["none", "hosts", "open"] as const;
const mountKinds = ["none", "read", "write"] as const;
const gravity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

function request(change: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    act: "run_script",
    trust: "builtin",
    network: "none",
    mounts: "none",
    hasSecrets: false,
    isUnsandboxed: false,
    mayRunUnsandboxed: false,
    ...change,
  };
}

const verdicts = fc.constantFrom<Verdict>("allow", "ask", "deny");
const perTier = fc.record({ builtin: verdicts, org: verdicts, user: verdicts, third_party: verdicts });
const anyRules: fc.Arbitrary<Rules> = fc.record({
  thirdPartyNetwork: fc.constantFrom("deny", "ask"),
  shellInPrompt: perTier,
  install: perTier,
});
const anyRequest: fc.Arbitrary<PolicyRequest> = fc.record({
  act: fc.constantFrom(...acts),
  trust: fc.constantFrom<Trust>(...tiers),
  network: fc.constantFrom(...networks),
  mounts: fc.constantFrom(...mountKinds),
  hasSecrets: fc.boolean(),
  isUnsandboxed: fc.boolean(),
  mayRunUnsandboxed: fc.boolean(),
});

describe("the tiers", () => {
  test.each<[Partial<PolicyRequest>, Verdict, string]>([
    [{}, "allow", "run-trusted"],
    [{ trust: "org", act: "call_tool" }, "allow", "run-trusted"],
    [{ hasSecrets: true }, "allow", "run-trusted"],
    [{ trust: "user" }, "ask", "run-user"],
    [{ trust: "third_party" }, "ask", "run-third-party"],
    [{ network: "hosts" }, "ask", "network"],
    [{ network: "open", trust: "org" }, "ask", "network"],
    [{ network: "hosts", trust: "third_party" }, "deny", "network-third-party"],
    [{ mounts: "read" }, "ask", "mount"],
    [{ mounts: "write" }, "ask", "writable-mount"],
    [{ act: "install" }, "ask", "install-builtin"],
    [{ act: "install", trust: "third_party" }, "deny", "install-third-party"],
    [{ act: "shell_in_prompt" }, "deny", "shell-in-prompt-builtin"],
    [{ act: "shell_in_prompt", trust: "third_party" }, "deny", "shell-in-prompt-third-party"],
  ])("the answer to %j is %s by %s [S-28]", (change, verdict, rule) => {
    expect(decide(request(change))).toMatchObject({ verdict, rule });
  });

  test("secrets of a third-party skill are one more reason to ask [S-28]", () => {
    const rows = explainDecision(request({ trust: "third_party", hasSecrets: true }));
    expect(rows.map(({ id }) => id)).toEqual(["run-third-party", "secrets-third-party"]);
  });

  test("an administrator's grant turns network access of third-party skills into a question [S-28]", () => {
    const rules: Rules = { ...defaultRules, thirdPartyNetwork: "ask" };
    expect(decide(request({ trust: "third_party", network: "hosts" }), rules).verdict).toBe("ask");
  });

  test("third-party dependencies can be asked about once an administrator allows it [S-28]", () => {
    const rules: Rules = { ...defaultRules, install: { ...defaultRules.install, third_party: "ask" } };
    const install = request({ act: "install", trust: "third_party", network: "hosts" });
    expect(decide(install, rules).verdict).toBe("ask");
  });

  test("ignores a setting that favors less trust [S-28]", () => {
    const shellInPrompt = { builtin: "allow", org: "deny", user: "allow", third_party: "allow" } as const;
    const answers = tiers.map(
      (trust) =>
        decide(request({ act: "shell_in_prompt", trust }), { ...defaultRules, shellInPrompt }).verdict,
    );
    expect(answers).toEqual(["allow", "deny", "deny", "deny"]);
  });
});

test("third-party skills are asked about under any general setting [S-28]", () => {
  const all = { builtin: "allow", org: "allow", user: "allow", third_party: "allow" } as const;
  const rules: Rules = { ...defaultRules, install: all, shellInPrompt: all };
  const answers = tiers.map((trust) => decide(request({ act: "install", trust }), rules).verdict);
  expect(answers).toEqual(["allow", "allow", "allow", "ask"]);
});

test("a missing or misspelled setting permits nothing [S-28]", () => {
  // As a file might say it: the types do not allow this.
  const rules = {
    ...defaultRules,
    install: { builtin: "yes" },
    thirdPartyNetwork: "sure",
  } as unknown as Rules;
  expect(decide(request({ act: "install" }), rules).verdict).toBe("deny");
  expect(decide(request({ act: "install", trust: "org" }), rules).verdict).toBe("deny");
  expect(decide(request({ trust: "third_party", network: "open" }), rules).verdict).toBe("deny");
});

describe("without a sandbox", () => {
  test.each<[Trust, boolean, Verdict]>([
    ["builtin", false, "deny"],
    ["user", false, "deny"],
    ["builtin", true, "ask"],
    ["user", true, "ask"],
    ["third_party", false, "deny"],
    ["third_party", true, "deny"],
  ])("%s with both switches %s: %s [S-28]", (trust, mayRunUnsandboxed, verdict) => {
    expect(decide(request({ trust, isUnsandboxed: true, mayRunUnsandboxed })).verdict).toBe(verdict);
  });
});

describe("the table", () => {
  test("denies a request that no row covers, under any limits [S-28]", () => {
    // Values of another version of the product: the types do not know them.
    const act = "format_disk" as Act;
    const trust = "friend" as Trust;
    expect(decide(request({ act, network: "open" }))).toMatchObject({
      verdict: "deny",
      rule: "nothing-matches",
    });
    expect(decide(request({ trust, mounts: "write" })).rule).toBe("nothing-matches");
  });

  test("every row has its own id, is printable, and decides something [S-28]", () => {
    const rows = explainPolicy();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
    const met = new Set<string>();
    for (const each of allRequests()) for (const { id } of explainDecision(each)) met.add(id);
    expect(rows.map(({ id }) => id).filter((id) => !met.has(id))).toEqual([]);
  });

  test("every request gets one answer, from a row that matches it [S-28]", () => {
    fc.assert(
      fc.property(anyRequest, anyRules, (each, rules) => {
        const { verdict, rule, reason } = decide(each, rules);
        const row = explainDecision(each, rules).find(({ id }) => id === rule);
        expect(row).toMatchObject({ verdict, reason });
      }),
    );
  });

  test("a larger request never gets a milder verdict [S-28]", () => {
    fc.assert(
      fc.property(anyRequest, anyRequest, anyRules, (one, other, rules) => {
        const more: PolicyRequest = {
          ...one,
          network:
            networks[Math.max(networks.indexOf(one.network), networks.indexOf(other.network))] ?? "open",
          mounts:
            mountKinds[Math.max(mountKinds.indexOf(one.mounts), mountKinds.indexOf(other.mounts))] ?? "write",
          hasSecrets: one.hasSecrets || other.hasSecrets,
          isUnsandboxed: one.isUnsandboxed || other.isUnsandboxed,
          mayRunUnsandboxed: one.mayRunUnsandboxed && other.mayRunUnsandboxed,
        };
        expect(gravity[decide(more, rules).verdict]).toBeGreaterThanOrEqual(
          gravity[decide(one, rules).verdict],
        );
      }),
    );
  });

  test("less trust never gets a milder verdict [S-28]", () => {
    fc.assert(
      fc.property(anyRequest, anyRules, (each, rules) => {
        const answers = tiers.map((trust) => gravity[decide({ ...each, trust }, rules).verdict]);
        expect(answers).toEqual([...answers].sort());
      }),
    );
  });
});

function* allRequests(): Generator<PolicyRequest> {
  const flags = [false, true];
  for (const act of acts)
    for (const trust of tiers)
      for (const network of networks)
        for (const mounts of mountKinds)
          for (const hasSecrets of flags)
            for (const isUnsandboxed of flags)
              for (const mayRunUnsandboxed of flags)
                yield { act, trust, network, mounts, hasSecrets, isUnsandboxed, mayRunUnsandboxed };
}
