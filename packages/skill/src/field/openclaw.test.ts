import { expect, test } from "vitest";
import { parseSkill } from "../parse/parse.ts";
import { type Host, readinessOf, readOpenclaw } from "./openclaw.ts";

const bare: Host = { platform: "linux", hasEnv: () => false, hasBin: () => false, hasConfig: () => false };

function requiresOf(yaml: string) {
  const { frontmatter } = parseSkill(`---\nname: a\nmetadata:\n  openclaw:\n    requires:\n${yaml}---\n`);
  return readOpenclaw(frontmatter);
}

test.each([
  ["      env: [{ name: API_KEY, required: true }]\n", ["API_KEY"]],
  [
    "      env:\n        - name: API_KEY\n          description: The key.\n        - OTHER\n",
    ["API_KEY", "OTHER"],
  ],
  ["      env:\n        - key: API_KEY\n        - name: EXTRA\n          required: false\n", ["API_KEY"]],
  ["      env:\n        - API_KEY: The key of the service.\n", ["API_KEY"]],
  ["      env:\n        API_KEY: The key.\n        EXTRA: { required: false }\n", ["API_KEY"]],
  ["      env: { API_KEY: { required: true }, EXTRA: { optional: true } }\n", ["API_KEY"]],
])("reads requirements in object form: %j [S-8]", (yaml, names) => {
  const section = requiresOf(yaml);
  expect(section.requires.env).toEqual(names);
  expect(readinessOf(section, bare).state).toBe("needs-config");
});

test("reads programs in object form [S-8]", () => {
  const section = requiresOf(
    "      bins: [{ name: ffmpeg }]\n      anyBins:\n        - bin: uv\n        - pip\n",
  );
  expect(section.requires).toMatchObject({ bins: ["ffmpeg"], anyBins: ["uv", "pip"] });
  expect(readinessOf(section, bare).state).toBe("missing-deps");
});

test("an unset primary variable needs configuration [S-8]", () => {
  const section = readOpenclaw({ metadata: { openclaw: { primaryEnv: "MAIN_KEY" } } });
  const bare = { platform: "linux", hasEnv: () => false, hasBin: () => true, hasConfig: () => true };
  expect(readinessOf(section, bare)).toEqual({
    state: "needs-config",
    reasons: ["the environment variable MAIN_KEY is not set"],
  });
  expect(readinessOf(section, { ...bare, hasEnv: () => true }).state).toBe("ready");
});
