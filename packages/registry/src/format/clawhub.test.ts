import { describe, expect, test } from "vitest";
import { toClawhubBundle } from "./clawhub-bundle.ts";
import {
  clawhubFingerprint,
  readClawhubLock,
  readClawhubOrigin,
  writeClawhubLock,
  writeClawhubOrigin,
} from "./clawhub-lock.ts";
import { file, helloFiles } from "./exchange.fixture.ts";

/** Computed with clawhub 0.23.3 for the visible files. */
const FINGERPRINT = "286e74188338c688cb41ab3413ed232db5eef4aa37ba36bafcf524680aac1b57";

describe("a bundle for ClawHub", () => {
  test("has all visible files and the fingerprint of ClawHub's command line [S-46]", () => {
    const bundle = toClawhubBundle("hello", helloFiles);
    expect(bundle.files.map(({ path }) => path)).toEqual([
      "SKILL.md",
      "scripts/run.sh",
      "references/B.md",
      "references/a.md",
    ]);
    expect(bundle.fingerprint).toBe(FINGERPRINT);
    expect(bundle.leftOut).toEqual([{ path: ".hidden", reason: "hidden" }]);
    expect(bundle.bytes).toBe(bundle.files.reduce((sum, { content }) => sum + content.length, 0));
  });

  test("names every rejected file [S-46]", () => {
    const files = [
      ...helloFiles,
      file("assets/logo.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0])),
      file("assets/latin.txt", new Uint8Array([0x66, 0xfc, 0x72])),
      file("assets/nul.txt", "a\0b"),
      file("assets/large.txt", "x".repeat(10 * 1024 * 1024 + 1)),
    ];
    const refused = [
      { path: "assets/logo.png", reason: "not-text" },
      { path: "assets/latin.txt", reason: "not-text" },
      { path: "assets/nul.txt", reason: "not-text" },
      { path: "assets/large.txt", reason: "too-large" },
    ];
    expect(() => toClawhubBundle("hello", files)).toThrow(
      expect.objectContaining({ code: "SKILL_INVALID", details: { skill: "hello", refused } }),
    );
    const partial = toClawhubBundle("hello", files, { isPartialAllowed: true });
    expect(partial.leftOut).toEqual([{ path: ".hidden", reason: "hidden" }, ...refused]);
    expect(partial.fingerprint).toBe(FINGERPRINT);
  });

  test("is limited to 50 MB [S-46]", () => {
    const large = Array.from({ length: 6 }, (_, at) =>
      file(`references/${at}.md`, "x".repeat(9 * 1024 * 1024)),
    );
    expect(() => toClawhubBundle("hello", [...helloFiles, ...large])).toThrow(
      expect.objectContaining({ code: "LIMIT_EXCEEDED" }),
    );
    expect(toClawhubBundle("hello", [...helloFiles, ...large.slice(1)]).bytes).toBeGreaterThan(
      45 * 1024 * 1024,
    );
  });

  test("notes the MIT-0 license, and a conflict with the skill's own license [S-46]", () => {
    expect(toClawhubBundle("hello", helloFiles).notes).toEqual([expect.stringContaining("MIT-0")]);
    const notes = (license: string) =>
      toClawhubBundle("a", [file("SKILL.md", `---\nname: a\ndescription: b\nlicense: ${license}\n---\n`)])
        .notes;
    expect(notes("MIT-0")).toHaveLength(1);
    expect(notes("Apache-2.0")[1]).toContain("Apache-2.0");
  });
});

describe("ClawHub's files", () => {
  const lock = `{
  "version": 1,
  "skills": {
    "zeta": {
      "version": "0.1.2",
      "installedAt": 1771787909166,
      "artifact": {
        "kind": "archive"
      }
    },
    "@acme/alpha": {
      "version": null,
      "installedAt": 1771787909167,
      "ownerHandle": "acme",
      "pinned": true
    }
  }
}
`;
  const origin = `{
  "version": 1,
  "registry": "https://hub.example",
  "slug": "hello",
  "ownerHandle": "acme",
  "installedVersion": "1.0.0",
  "installedAt": 1771787909166,
  "fingerprint": "${FINGERPRINT}",
  "trustLabel": "kept"
}
`;

  test("have the same bytes after reading and writing [S-46]", () => {
    expect(writeClawhubLock(readClawhubLock(lock))).toBe(lock);
    expect(writeClawhubOrigin(readClawhubOrigin(origin))).toBe(origin);
    expect(readClawhubOrigin(origin).fingerprint).toBe(clawhubFingerprint(helloFiles.slice(0, 4)));
  });

  test.each(["", "{}", '{"version":2,"skills":{}}', '{"version":1,"skills":{"a":{"version":1}}}'])(
    "that are broken are refused: %j [S-46]",
    (text) => {
      expect(() => readClawhubLock(text)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
      expect(() => readClawhubOrigin(text)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    },
  );
});
