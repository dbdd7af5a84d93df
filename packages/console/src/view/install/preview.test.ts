import { expect, test } from "vitest";
import { isInstallable, type Preview, planOf, proofOf, versionOf } from "./preview.ts";

// The tests read these fields only.
const preview = (fields: object): Preview =>
  ({ plan: "install", origin: { verified: "none" }, signature: { status: "none" }, ...fields }) as Preview;

test("names the proof of a skill [S-47] [S-59]", () => {
  expect(proofOf(preview({})).tone).toBe("warn");
  expect(proofOf(preview({ origin: { verified: "digest" } })).text).toBe("digest checked, not signed");
  expect(proofOf(preview({ signature: { status: "verified", signer: "ann" } }))).toEqual({
    text: "signed by ann",
    tone: "good",
  });
  expect(proofOf(preview({ signature: { status: "untrusted", reason: "unknown key" } })).text).toContain(
    "unknown key",
  );
});

test("a skill that is up to date or in conflict is not installed [S-47] [S-59]", () => {
  for (const plan of ["install", "update", "merge", "replace"] as const)
    expect(isInstallable(preview({ plan }))).toBe(true);
  for (const plan of ["unchanged", "conflict"] as const) expect(isInstallable(preview({ plan }))).toBe(false);
  expect(planOf(preview({ plan: "conflict" })).tone).toBe("bad");
});

test("prefers a release over a commit [S-47] [S-59]", () => {
  expect(versionOf(preview({ origin: { verified: "none", commit: "0123456789abcdef" } }))).toBe(
    "0123456789ab",
  );
  expect(versionOf(preview({ origin: { verified: "none", release: "1.0.0", commit: "0" } }))).toBe("1.0.0");
});
