import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { readOpenclaw } from "@skillhold/skill";
import type { SecretScope } from "./secret.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_VALUE_BYTES = 64 * 1024;

/**
 * Names that make a program load, run or trust something else. A secret reaches a program as a variable, and must not
 * be a way to get code into it.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `_ BASHOPTS BROWSER CDPATH CLASSPATH EDITOR ELECTRON_RUN_AS_NODE ENV GCONV_PATH GLIBC_TUNABLES GLOBIGNORE
   HOME HOSTALIASES IFS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LANG LANGUAGE LESSCLOSE LESSOPEN LOCPATH LOGNAME NLSPATH
   OLDPWD OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES PAGER PATH PROMPT_COMMAND PS1 PS4 PWD RES_OPTIONS SHELL
   SHELLOPTS SHLVL SSLKEYLOGFILE SSL_CERT_DIR SSL_CERT_FILE TEMP TERM TMP TMPDIR TZ USER VISUAL ZDOTDIR
   _JAVA_OPTIONS`.split(/\s+/),
);
const RESERVED_START =
  /^(?:BASH_|DYLD_|GIT_|LC_|LD_|MALLOC_|NODE_(?!AUTH_TOKEN$)|NPM_CONFIG_|PERL|PIP_|PYTHON|RUBY|SKILLHOLD_|TS_NODE_|XDG_)/;

/** Whether a variable of this name could change what a program is, in whatever case it is written. */
export function isReservedName(name: string): boolean {
  const upper = name.toUpperCase();
  return RESERVED.has(upper) || RESERVED_START.test(upper) || upper.endsWith("_PROXY");
}

/** The secrets that a skill may receive: the names that it declares, without invalid and reserved names. */
export function declaredSecrets({
  requires,
  metadata,
}: Pick<SkillEntry, "requires" | "metadata">): readonly string[] {
  const { primaryEnv } = readOpenclaw({ metadata });
  const names = new Set([...requires.env, ...(primaryEnv === undefined ? [] : [primaryEnv])]);
  return [...names].filter((name) => NAME.test(name) && !isReservedName(name));
}

export function checkSecretName(name: string): void {
  if (!NAME.test(name)) {
    throw new SkillError("USAGE", `${JSON.stringify(name.slice(0, 128))} cannot be the name of a secret.`, {
      hint: "A name is up to 128 letters, digits and underscores, and does not start with a digit.",
    });
  }
  if (isReservedName(name)) {
    throw new SkillError("USAGE", `${name} cannot be the name of a secret: programs act on it.`, {
      hint: "Give the secret a name of its own, such as API_KEY.",
    });
  }
}

export function checkSecretScope({ skill, agent }: SecretScope): void {
  if (skill === "") throw new SkillError("USAGE", "A secret is for a skill, and none is named.");
  if (agent === "") throw new SkillError("USAGE", "The name of the agent is empty.");
}

/** Contract: the message never contains the value. */
export function checkSecretValue(name: string, value: string): void {
  const problem = findValueProblem(value);
  if (problem !== undefined) throw new SkillError("USAGE", `The value of ${name} ${problem}.`);
}

function findValueProblem(value: string): string | undefined {
  if (value === "") return "is empty";
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `is longer than ${MAX_VALUE_BYTES} bytes`;
  if (value.includes("\0")) return "has a NUL, which no variable can hold";
  if (!value.isWellFormed()) return "is not well-formed text";
  return undefined;
}
