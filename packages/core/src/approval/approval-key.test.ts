import fc from "fast-check";
import { expect, test } from "vitest";
import { digest, request } from "./approval.fixture.ts";
import type { ApprovalRequest } from "./approval.ts";
import { approvalKey } from "./approval-key.ts";

/** Few letters and the marks of JSON, so that texts often meet when they are put together badly. */
const text = fc.string({
  unit: fc.constantFrom("a", ",", '"', "[", "]", "\\", "\0", "\ud800"),
  maxLength: 4,
});
const mount = fc.record({ source: text, target: text, isWritable: fc.boolean() });
const subject = fc.record({
  target: text,
  network: text,
  act: fc.constantFrom("run_script" as const, "call_tool" as const),
  treeHash: fc.constantFrom(digest("a"), digest("b")),
  mounts: fc.array(mount, { maxLength: 3 }),
  secrets: fc.array(text, { maxLength: 3 }),
});

/** The order of these lists is the one thing that makes no difference. */
function normal({ mounts, secrets, ...rest }: Partial<ApprovalRequest>): unknown {
  const sources = mounts?.map((mount) => JSON.stringify([mount.source, mount.target, mount.isWritable]));
  return { ...rest, mounts: sources?.toSorted(), secrets: secrets?.toSorted() };
}

function isSame(a: Partial<ApprovalRequest>, b: Partial<ApprovalRequest>): boolean {
  try {
    expect(normal(a)).toStrictEqual(normal(b));
    return true;
  } catch {
    // `toStrictEqual` says no by throwing.
    return false;
  }
}

test("two requests have the same key when they ask for the same, and only then [S-28]", () => {
  fc.assert(
    fc.property(subject, subject, (a, b) => {
      expect(approvalKey(request(a)) === approvalKey(request(b))).toBe(isSame(a, b));
    }),
    { numRuns: 500 },
  );
});

test("a text that moves from one field to the next changes the key [S-28]", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const keys = [
        request({ target: a + b, network: "" }),
        request({ target: a, network: b }),
        request({ target: "", network: a + b }),
        request({ target: a, network: "", secrets: [b] }),
        request({ target: a, network: "", mounts: [{ source: b, target: "", isWritable: false }] }),
      ].map(approvalKey);
      const parts = new Set([
        JSON.stringify([a + b, ""]),
        JSON.stringify([a, b]),
        JSON.stringify(["", a + b]),
      ]);
      expect(new Set(keys).size).toBe(parts.size + 2);
    }),
  );
});

test("the order of mounts and secrets makes no difference to the key [S-28]", () => {
  fc.assert(
    fc.property(subject, (a) => {
      const turned = { ...a, mounts: a.mounts.toReversed(), secrets: a.secrets.toReversed() };
      expect(approvalKey(request(turned))).toBe(approvalKey(request(a)));
    }),
  );
});

test("arguments, input, session and reason are no part of the key, and trust and sandbox are [S-28]", () => {
  const decision = { verdict: "ask", rule: "other", reason: "Other.", reasons: ["Other."] } as const;
  const stdin = { bytes: 1, digest: digest("x") };
  const other = request({ args: ["x"], stdin, session: "s9", run: "r9", decision });
  expect(approvalKey(request({ trust: "third_party" }))).not.toBe(approvalKey(request()));
  expect(approvalKey(request({ sandbox: "none" }))).not.toBe(approvalKey(request()));
  expect(approvalKey(other)).toBe(approvalKey(request()));
});

test("the key of a request stays what it is, so that kept approvals stay found [S-28]", () => {
  const mounts = [{ source: "/data", target: "/mnt/data", isWritable: true }];
  expect(approvalKey(request({ mounts, secrets: ["B", "A"] }))).toBe(
    "sha256:4daecdb516279b55badcd85ad1c04f2fd144187c15f1a1ccb809c25a959dd8a1",
  );
});
