import { join } from "node:path";
import { readInstallWays } from "@skillhold/core/test/dependency/install-way";
import { afterEach, expect, test } from "vitest";
import { makeFolder, removeFolders } from "./environment.fixture.ts";
import { specsFor } from "./skill-install.ts";

afterEach(removeFolders);

const ways = readInstallWays({
  metadata: {
    openclaw: {
      install: [
        { kind: "brew", formula: "ripgrep", bins: ["rg"] },
        { kind: "apt", package: "ripgrep", bins: ["rg"] },
        { kind: "brew", formula: "me/tap/tool", bins: ["tool"] },
        { kind: "node", package: "tool-cli", bins: ["tool"] },
        { kind: "go", module: "example.com/a/cmd/gopher@latest" },
        { kind: "download", url: "https://example.com/x.tar.gz", bins: ["x"], os: ["macos"] },
        { kind: "node", package: "--evil", bins: ["evil"] },
        { kind: "magic", package: "y", bins: ["y"] },
      ],
    },
  },
});

test.each([
  ["linux", "ID=debian\n", ["apt:ripgrep", "npm:tool-cli", "go:example.com/a/cmd/gopher@latest", "x"]],
  ["linux", "ID=alpine\n", ["rg", "npm:tool-cli", "go:example.com/a/cmd/gopher@latest", "x"]],
  [
    "darwin",
    "",
    [
      "brew:ripgrep",
      "npm:tool-cli",
      "go:example.com/a/cmd/gopher@latest",
      "download:https://example.com/x.tar.gz",
    ],
  ],
])("chooses the skill's own install way that fits the system: %s %j [S-36]", (platform, text, expected) => {
  const host = { platform, osRelease: join(makeFolder({ "os-release": text }), "os-release") };
  expect(specsFor(["rg", "tool", "gopher", "x"], ways, host)).toEqual(expected);
});

test("an invalid or absent install way keeps the name, and packages stay unchanged [S-36]", () => {
  const host = {
    platform: "linux",
    osRelease: join(makeFolder({ "os-release": "ID=debian\n" }), "os-release"),
  };
  const missing = ["evil", "y", "jq", "npm:marked", "pip:x", "jq"];
  expect(specsFor(missing, ways, host)).toEqual(["evil", "y", "jq", "npm:marked", "pip:x"]);
});
