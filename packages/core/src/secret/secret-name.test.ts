import { expect, test } from "vitest";
import { entry } from "../catalogue/entry.fixture.ts";
import { checkSecretName, checkSecretValue, declaredSecrets, isReservedName } from "./secret-name.ts";

const usage = expect.objectContaining({ code: "USAGE" });

test.each([
  "PATH",
  "Path",
  "HOME",
  "LD_PRELOAD",
  "ld_library_path",
  "DYLD_INSERT_LIBRARIES",
  "NODE_OPTIONS",
  "NODE_PATH",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "BASH_ENV",
  "ENV",
  "IFS",
  "PERL5OPT",
  "RUBYOPT",
  "GIT_SSH_COMMAND",
  "http_proxy",
  "HTTPS_PROXY",
  "SSL_CERT_FILE",
  "GLIBC_TUNABLES",
  "JAVA_TOOL_OPTIONS",
  "npm_config_script_shell",
  "SKILLHOLD_HOME",
])("rejects the name %s, which makes programs load or trust something else [S-33]", (name) => {
  expect(isReservedName(name)).toBe(true);
  expect(() => checkSecretName(name)).toThrow(usage);
});

test.each([
  "API_KEY",
  "OPENAI_API_KEY",
  "GITHUB_TOKEN",
  "NODE_AUTH_TOKEN",
  "NPM_TOKEN",
  "_private",
  "PATHS",
  "HOMEPAGE_KEY",
  "a".repeat(128),
])("accepts the name %s [S-33]", (name) => {
  expect(isReservedName(name)).toBe(false);
  expect(() => checkSecretName(name)).not.toThrow();
});

test.each(["", "1KEY", "A-B", "A B", "A=B", "KEY\n", "KÉY", "__proto__ ", "a".repeat(129)])(
  "%j is not a secret's name [S-33]",
  (name) => {
    expect(() => checkSecretName(name)).toThrow(usage);
  },
);

test("a value has 1 byte to 64 KB without NUL, and is never in the message [S-33]", () => {
  for (const value of ["x", "x".repeat(65_536), "é".repeat(32_768), "two\nlines"]) {
    expect(() => checkSecretValue("KEY", value)).not.toThrow();
  }
  for (const value of ["", "x".repeat(65_537), "é".repeat(32_769), "hidden\0", "hidden\ud800"]) {
    expect(() => checkSecretValue("KEY", value)).toThrow(usage);
    expect(() => checkSecretValue("KEY", value)).not.toThrow(/hidden/);
  }
});

test("a skill declares the secrets it requires and its main variable, each once [S-33]", () => {
  const requires = { env: ["API_KEY", "TOKEN", "API_KEY"], bins: [], anyBins: [], config: [] };
  const metadata = { openclaw: { primaryEnv: "MAIN_KEY", requires } };
  expect(declaredSecrets(entry("pdf", { requires, metadata }))).toEqual(["API_KEY", "TOKEN", "MAIN_KEY"]);
  expect(declaredSecrets(entry("pdf", { requires }))).toEqual(["API_KEY", "TOKEN"]);
  expect(declaredSecrets(entry("pdf"))).toEqual([]);
});

test("ignores declared names that a secret cannot have [S-33]", () => {
  const requires = { env: ["PATH", "LD_PRELOAD", "A B", "", "KEY"], bins: [], anyBins: [], config: [] };
  const metadata = { openclaw: { primaryEnv: "NODE_OPTIONS" } };
  expect(declaredSecrets(entry("pdf", { requires, metadata }))).toEqual(["KEY"]);
});
