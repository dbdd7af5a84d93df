import fc from "fast-check";
import { expect, test } from "vitest";
import { digest, request } from "./approval.fixture.ts";
import type { ApprovalRequest, Widening } from "./approval.ts";
import { approvalKey, coveringKeys, requestKey } from "./approval-key.ts";
import { argumentShape } from "./argument-shape.ts";

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
  requester: fc.record({ agent: text, user: text }, { requiredKeys: [] }),
});
const packages = fc.record({ environment: text, origin: text }, { requiredKeys: [] });
const wholeSubject = fc.tuple(subject, packages).map(([a, b]) => ({ ...a, ...b }));

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

test("two requests have the same key exactly when they ask for the same thing [S-28]", () => {
  fc.assert(
    fc.property(wholeSubject, wholeSubject, (a, b) => {
      expect(approvalKey(request(a)) === approvalKey(request(b))).toBe(isSame(a, b));
    }),
    { numRuns: 1000 },
  );
});

test("moving text from one field to the next changes the key [S-28]", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const keys = [
        request({ target: a + b, network: "" }),
        request({ target: a, network: b }),
        request({ target: "", network: a + b }),
        request({ target: a, network: "", secrets: [b] }),
        request({ target: a, network: "", mounts: [{ source: b, target: "", isWritable: false }] }),
      ].map((each) => approvalKey(each));
      const parts = new Set([
        JSON.stringify([a + b, ""]),
        JSON.stringify([a, b]),
        JSON.stringify(["", a + b]),
      ]);
      expect(new Set(keys).size).toBe(parts.size + 2);
    }),
  );
});

test("the order of mounts and secrets does not change the key [S-28]", () => {
  fc.assert(
    fc.property(subject, (a) => {
      const turned = { ...a, mounts: a.mounts.toReversed(), secrets: a.secrets.toReversed() };
      expect(approvalKey(request(turned))).toBe(approvalKey(request(a)));
    }),
  );
});

test("the key ignores session, run and reason, and covers trust, sandbox, packages, origin and argument shape [S-28]", () => {
  const decision = { verdict: "ask", rule: "other", reason: "Other.", reasons: ["Other."] } as const;
  const other = request({ session: "s9", run: "r9", decision });
  expect(approvalKey(request({ trust: "third_party" }))).not.toBe(approvalKey(request()));
  expect(approvalKey(request({ sandbox: "none" }))).not.toBe(approvalKey(request()));
  for (const field of ["environment", "origin"] as const)
    expect(
      new Set(
        ["a", "b", undefined].map((value) => approvalKey({ ...request(), ...(value && { [field]: value }) })),
      ).size,
    ).toBe(3);
  expect(approvalKey(request({ args: ["--slow"] }))).not.toBe(approvalKey(request()));
  expect(approvalKey(request({ stdin: { bytes: 1, digest: digest("x") } }))).not.toBe(approvalKey(request()));
  expect(approvalKey(other)).toBe(approvalKey(request()));
});

const widenings = fc.subarray<Widening>(["everyone", "arguments"]);
const whole = fc
  .tuple(wholeSubject, fc.array(fc.constantFrom("a", "--x", "--x=1", "-v", "--", "b.pdf"), { maxLength: 3 }))
  .map(([fields, args]) => request({ ...fields, act: "run_script", args }));

test("an approval covers a request only for the same requester and shape, unless it was widened [S-28]", () => {
  fc.assert(
    fc.property(whole, whole, widenings, (asked, later, widen) => {
      const covered = coveringKeys(later).includes(approvalKey(asked, widen));
      const bound = (each: ApprovalRequest) => ({
        ...each,
        args: [],
        requester: widen.includes("everyone") ? {} : each.requester,
        shape: widen.includes("arguments") ? [] : argumentShape(each),
      });
      expect(covered).toBe(isSame(bound(asked), bound(later)));
    }),
    { numRuns: 1000 },
  );
});

test("an approval does not cover another agent or user, or a combination of the two [S-28]", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const requesters = [{}, { agent: a }, { user: a }, { agent: a, user: b }, { agent: b, user: a }];
      const keys = requesters.map((requester) => approvalKey(request({ requester })));
      expect(new Set(keys).size).toBe(a === b ? 4 : 5);
      const narrow = requesters.flatMap((requester) => coveringKeys(request({ requester })).slice(0, 2));
      const everyone = requesters.map((requester) => approvalKey(request({ requester }), ["everyone"]));
      expect(new Set(everyone).size).toBe(1);
      expect(narrow).not.toContain(everyone[0]);
    }),
  );
});

test("the key of an exact request depends on every argument and on the input [S-28]", () => {
  const args = fc.array(text, { maxLength: 3 });
  const stdin = fc.option(fc.constantFrom("x", "y"), { nil: undefined });
  const make = (list: readonly string[], input: string | undefined) =>
    request({ args: list, ...(input === undefined ? {} : { stdin: { bytes: 1, digest: digest(input) } }) });
  fc.assert(
    fc.property(args, args, stdin, stdin, (a, b, c, d) => {
      const isEqual = JSON.stringify([a, c]) === JSON.stringify([b, d]);
      expect(requestKey(make(a, c)) === requestKey(make(b, d))).toBe(isEqual);
    }),
  );
});

test("the key of a request is stable across versions [S-28]", () => {
  const mounts = [{ source: "/data", target: "/mnt/data", isWritable: true }];
  expect(approvalKey(request({ mounts, secrets: ["B", "A"] }))).toMatchInlineSnapshot(
    `"sha256:22dbadad26731f94d65be7e2be1a288c35bd8a89ca7e8a5b02cf471d47438788"`,
  );
});
