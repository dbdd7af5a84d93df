import { SkillError } from "@skillhold/protocol/error";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that make the loader or the C library run other code, also in our own helper programs. */
const LOADER = /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|DYLD_.*)$/;

/** The PATH of every program. */
export const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The complete environment of a program: the defaults plus the given variables. The host's own variables are
 * not passed on.
 */
export function programEnvironment(
  work: string,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(given)) rejectVariable(name, value);
  return {
    PATH: PROGRAM_PATH,
    HOME: work,
    LANG: "C.UTF-8",
    TZ: timeZone(),
    TMPDIR: "/tmp",
    ...given,
  };
}

let zone: string | undefined;

/** Cached, because the lookup takes a third of a millisecond. */
function timeZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

/** The value may be a secret, so no message contains it. */
function rejectVariable(name: string, value: string): void {
  const problem = !NAME.test(name)
    ? "is not a portable variable name"
    : LOADER.test(name)
      ? "changes which code the loader runs"
      : value.includes("\0")
        ? "has a NUL character in its value"
        : undefined;
  if (problem === undefined) return;
  throw new SkillError("CONFIG_INVALID", `The variable ${JSON.stringify(name)} ${problem}.`, {
    hint: "Use another variable name.",
    details: { name },
  });
}
