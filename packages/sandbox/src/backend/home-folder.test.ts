import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findBubblewrap } from "./find-bubblewrap.ts";

/** Runs a module under a user id that the machine has no account for, without `HOME`. */
function runWithoutAccount(source: string): string {
  const sandbox = ["--ro-bind", "/", "/", "--dev", "/dev", "--unshare-user", "--uid", "54321"];
  const node = ["--conditions=@skillhold/source", "--disable-warning=ExperimentalWarning"];
  const argv = [...sandbox, "--", process.execPath, ...node, "--input-type=module", "--eval", source];
  return execFileSync(findBubblewrap(), argv, { env: { PATH: "/usr/bin:/bin" }, encoding: "utf8" });
}

const moduleUrl = (path: string) => JSON.stringify(join(import.meta.dirname, path));

test("a user id without an account makes os.homedir() throw, and has no home folder [S-29]", () => {
  const source = `
    import { homedir } from "node:os";
    import { homeFolder } from ${moduleUrl("home-folder.ts")};
    let failure = "no failure";
    try { homedir(); } catch (error) { failure = error.code; }
    console.log(JSON.stringify([failure, homeFolder() ?? null]));
  `;
  expect(JSON.parse(runWithoutAccount(source))).toEqual(["ERR_SYSTEM_ERROR", null]);
});

test("finds runtimes and configuration files under a user id without an account [S-29]", () => {
  const source = `
    import { currentRuntimeHost } from ${moduleUrl("runtime.ts")};
    import { systemRuns } from ${moduleUrl("../run/system-run.ts")};
    const runs = systemRuns();
    const config = [runs.config("~/.netrc") ?? null, runs.config("/etc/passwd")];
    console.log(JSON.stringify({ home: currentRuntimeHost().home, config }));
  `;
  expect(JSON.parse(runWithoutAccount(source))).toEqual({ home: "/", config: [null, "/etc/passwd"] });
});
