import { SkillError } from "@skillhold/protocol/error";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** They make the loader or the C library run other code, also in what we start before the program. */
const LOADER = /^(?:LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|DYLD_.*)$/;

/** Where every program looks for others. */
export const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** What every program gets, and what it was given beside that. Nothing of ours is in it. */
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

/** Asking takes a third of a millisecond. */
function timeZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

/** Its value may be a secret and is never in a message. */
function rejectVariable(name: string, value: string): void {
  const problem = !NAME.test(name)
    ? "is not a name that every program can read"
    : LOADER.test(name)
      ? "changes which code is loaded"
      : value.includes("\0")
        ? "has a value with a NUL character"
        : undefined;
  if (problem === undefined) return;
  throw new SkillError("CONFIG_INVALID", `The variable ${JSON.stringify(name)} ${problem}.`, {
    hint: "Give the program its variable under another name.",
    details: { name },
  });
}
