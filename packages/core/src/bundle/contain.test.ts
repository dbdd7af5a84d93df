import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve, win32 } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { normalizeRelative, openInside } from "./contain.ts";
import { isSameFileAt } from "./opened-path.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-contain-")));
const root = join(base, "skill");
const outside = join(base, "outside");
mkdirSync(join(root, "references"), { recursive: true });
mkdirSync(outside);
writeFileSync(join(root, "references", "a.md"), "fine");
writeFileSync(join(outside, "canary.txt"), "CANARY");
afterAll(() => rmSync(base, { recursive: true, force: true }));

function codeOf(run: () => unknown): string {
  try {
    run();
    return "none";
  } catch (error) {
    return error instanceof SkillError ? error.code : `not a SkillError: ${error}`;
  }
}

function open(path: string): string {
  const { fd } = openInside(root, normalizeRelative(path));
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

describe("relative paths", () => {
  test.each(["SKILL.md", "references/a.md", "%2e%2e%2fx", "参考：说明.md", "a b/c.d/..e", ".gitignore"])(
    "accepts %j unchanged [S-26]",
    (path) => expect(normalizeRelative(path)).toBe(path),
  );

  const hostile = [
    ...[
      "",
      ".",
      "..",
      "../x",
      "a/../../x",
      "a/..",
      "./a",
      "a/./b",
      "a//b",
      "a/",
      "/",
      "/etc/passwd",
      "//host/share",
    ],
    ...[
      "\\..\\x",
      "a\\b",
      "C:\\x",
      "C:x",
      "\\\\host\\s",
      "file:///etc/passwd",
      "a.txt:stream",
      "a::$DATA",
      "~",
      "~/.ssh",
      "~root/x",
    ],
    ...[
      "a\0b",
      "a\nb",
      "a\u001b[0m",
      "a\u202eb",
      "a\u200bb",
      "a\u2028b",
      "a\ufeff",
      "\ud800",
      "a\ufffdb",
      "a\u{e0041}",
    ],
    ...[
      "．．/x",
      "‥/x",
      "․․/x",
      "a／b",
      "℀",
      "con",
      "NUL.txt",
      "a/com1",
      "lpt¹",
      "a.",
      "a ",
      "a./b",
      "a?",
      "a*",
      "...",
    ],
    ...["x".repeat(513), "é".repeat(257), Array(17).fill("d").join("/")],
  ];
  test.each(hostile)("rejects %j before it touches the disk [S-26]", (path) => {
    expect(codeOf(() => normalizeRelative(path))).toBe("RESOURCE_OUTSIDE_SKILL");
  });

  test("no accepted path leaves the folder on any system [S-26]", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "/",
        "\\",
        ":",
        "C:",
        "~",
        "%2e",
        "．",
        "‥",
        "\0",
        "//",
        "a",
        " ",
        "con",
        "\u202e",
        "／",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    let accepted = 0;
    const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const path = pieces.join("");
      if (codeOf(() => normalizeRelative(path)) !== "none") return;
      accepted += 1;
      for (const form of [path, path.normalize("NFKC")]) {
        expect(relative("/skills/demo", resolve("/skills/demo", form)).split("/")).not.toContain("..");
        expect(win32.resolve("C:\\root\\skill", form).startsWith("C:\\root\\skill\\")).toBe(true);
      }
      expect(path.includes("\0")).toBe(false);
    });
    fc.assert(property, { numRuns: 3000 });
    expect(accepted).toBeGreaterThan(100);
  });

  test("an accepted path stays accepted and unchanged under higher limits [S-66]", () => {
    const deep = Array(20).fill("d").join("/");
    expect(normalizeRelative(deep, { pathBytes: 4096, pathDepth: 64 })).toBe(deep);
  });
});

describe("opening inside a folder", () => {
  test("opens a regular file [S-26]", () => expect(open("references/a.md")).toBe("fine"));

  test("reports a missing file, including one below a file [S-26]", () => {
    expect(codeOf(() => open("nothing.md"))).toBe("PATH_NOT_FOUND");
    expect(codeOf(() => open("references/a.md/b"))).toBe("PATH_NOT_FOUND");
  });

  test("rejects links to files and folders with any target [S-26]", () => {
    symlinkSync(join(outside, "canary.txt"), join(root, "link-out.txt"));
    symlinkSync("references/a.md", join(root, "link-in.md"));
    symlinkSync(outside, join(root, "folder-out"));
    symlinkSync("references", join(root, "folder-in"));
    for (const path of ["link-out.txt", "link-in.md", "folder-out/canary.txt", "folder-in/a.md"]) {
      expect([path, codeOf(() => open(path))]).toEqual([path, "RESOURCE_OUTSIDE_SKILL"]);
    }
  });

  test("rejects a hard link unless the caller allows it [S-26]", () => {
    linkSync(join(outside, "canary.txt"), join(root, "hard.txt"));
    expect(codeOf(() => open("hard.txt"))).toBe("RESOURCE_OUTSIDE_SKILL");
    closeSync(openInside(root, normalizeRelative("hard.txt"), { allowHardLinks: true }).fd);
    rmSync(join(root, "hard.txt"));
  });

  test.skipIf(process.platform === "win32")("rejects a folder and a FIFO without waiting [S-26]", () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(codeOf(() => open("pipe"))).toBe("RESOURCE_OUTSIDE_SKILL");
    expect(codeOf(() => open("references"))).toBe("RESOURCE_OUTSIDE_SKILL");
  });

  test("a rejection leaves no descriptor open [S-26]", () => {
    const before = openSync(join(root, "references", "a.md"), "r");
    closeSync(before);
    for (let round = 0; round < 200; round += 1) codeOf(() => open("folder-out/canary.txt"));
    const after = openSync(join(root, "references", "a.md"), "r");
    closeSync(after);
    expect(after).toBe(before);
  });
});

describe.skipIf(process.platform === "win32")("while a process swaps files for links", () => {
  test("a read never returns content from outside [S-26]", async () => {
    const { reads, fine, leaks } = await race((path) => open(path));
    expect(leaks).toBe(0);
    expect(reads).toBeGreaterThan(100);
    expect(fine).toBeGreaterThan(0);
  });

  test("the check without /proc never returns content from outside [S-26]", async () => {
    const { fine, leaks } = await race((path) => {
      const absolute = join(root, path);
      const fd = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        return isSameFileAt(fstatSync(fd), absolute) ? readFileSync(fd, "utf8") : "refused";
      } finally {
        closeSync(fd);
      }
    });
    expect(leaks).toBe(0);
    expect(fine).toBeGreaterThan(0);
  });
});

const RACER = `
const fs = require("node:fs"); const [, root, outside] = process.argv; const at = (name) => root + "/" + name;
for (let round = 0; ; round += 1) {
  if (round === 10) fs.writeSync(1, "racing");
  fs.writeFileSync(at(".new"), "fine"); fs.renameSync(at(".new"), at("flip.md"));
  fs.symlinkSync(outside + "/canary.txt", at(".new")); fs.renameSync(at(".new"), at("flip.md"));
  fs.renameSync(at("flip"), at("flip.real")); fs.symlinkSync(outside, at("flip"));
  fs.unlinkSync(at("flip")); fs.renameSync(at("flip.real"), at("flip"));
}`;

async function race(read: (path: string) => string): Promise<{ reads: number; fine: number; leaks: number }> {
  for (const name of ["flip", "flip.real", "flip.md", ".new"])
    rmSync(join(root, name), { recursive: true, force: true });
  mkdirSync(join(root, "flip"));
  writeFileSync(join(root, "flip", "canary.txt"), "fine");
  writeFileSync(join(root, "flip.md"), "fine");
  const racer = spawn(process.execPath, ["-e", RACER, root, outside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(racer.stdout, "data");
    return readFor(800, read);
  } finally {
    await stop(racer);
  }
}

function readFor(
  milliseconds: number,
  read: (path: string) => string,
): { reads: number; fine: number; leaks: number } {
  const count = { reads: 0, fine: 0, leaks: 0 };
  for (const end = performance.now() + milliseconds; performance.now() < end; count.reads += 1) {
    try {
      const text = read(count.reads % 2 === 0 ? "flip.md" : "flip/canary.txt");
      if (text === "CANARY") count.leaks += 1;
      else if (text === "fine") count.fine += 1;
    } catch {
      // A refusal, or a name that is missing for a moment: both are right answers here.
    }
  }
  return count;
}

async function stop(racer: ChildProcess): Promise<void> {
  const ended = new Promise((done) => racer.once("exit", done));
  racer.kill("SIGKILL");
  await ended;
}
