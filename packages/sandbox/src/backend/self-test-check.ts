import type { ProbeCheck } from "@skillhold/core/run";
import type { Observation } from "./probe.ts";
import { callTable } from "./self-test-call.ts";

/** All observations after the program has run. */
export interface Evidence {
  readonly observations: ReadonlyMap<string, Observation>;
  readonly output: string;
  /** Names of checks whose effect was seen on the host. */
  readonly harms: ReadonlySet<string>;
  readonly collected: { readonly written: string | undefined; readonly link: string | undefined };
  /** How the program ended, for attempts that it did not reach. */
  readonly ending: string;
  readonly token: string;
  readonly sentinel: string;
}

type Verdict = Pick<ProbeCheck, "isConfined" | "detail">;

interface CheckRow {
  readonly title: string;
  /** True when the check applies only to Linux. */
  readonly isLinux?: true;
  readonly judge: (seen: Observation, evidence: Evidence) => Verdict;
}

/**
 * Contract: a check is confined only when it was tried and the sandbox blocked it. For system calls by
 * number, an active filter is enough.
 */
export function checkEvidence(evidence: Evidence, platform: string): readonly ProbeCheck[] {
  const rows = Object.entries(checkTable).filter(([, row]) => row.isLinux !== true || platform === "linux");
  return rows.map(([name, { title, judge }]) => {
    const seen = evidence.observations.get(name) ?? { name, outcome: "untried", detail: evidence.ending };
    if (evidence.harms.has(name))
      return { name, title, isConfined: false, detail: "the effect is visible on the host" };
    return { name, title, ...judge(seen, evidence) };
  });
}

const mustFail = (seen: Observation): Verdict => ({
  isConfined: seen.outcome === "refused",
  detail: seen.outcome === "untried" ? `cannot be tried: ${seen.detail}` : seen.detail,
});

/** The sandbox may have no program that can make raw calls; then the kernel's filter status decides. */
const mustBeFiltered = (seen: Observation, { observations }: Evidence): Verdict => {
  const isShown = ["use-any-call", "gain-privileges"].every(
    (name) => observations.get(name)?.outcome === "refused",
  );
  if (seen.outcome !== "untried" || !observations.has(seen.name) || !isShown) return mustFail(seen);
  return { isConfined: true, detail: "not tried; the system call filter is on" };
};

/** The sandbox may have its own file at that path, so only the canary's content counts. */
const mustNotKnow = (seen: Observation, { token }: Evidence): Verdict => {
  if (seen.outcome !== "reached") return mustFail(seen);
  const isConfined = !seen.detail.includes(token);
  return { isConfined, detail: isConfined ? "another file is at that path" : "the canary was read" };
};

const mustNotSee = (seen: Observation, { sentinel }: Evidence): Verdict => {
  if (seen.outcome !== "reached") return mustFail(seen);
  const processes = seen.detail.split(" ");
  const isConfined = processes.every((each) => each.includes("@")) && !processes.includes(sentinel);
  return { isConfined, detail: `${processes.length} processes are visible` };
};

/**
 * A write inside is confined when the host does not see it, because the sandbox may have its own folder at
 * that path.
 */
const mustNotShow = (seen: Observation): Verdict =>
  seen.outcome === "reached"
    ? { isConfined: true, detail: "the effect is not visible on the host" }
    : mustFail(seen);

const mustNotInherit = (_: Observation, { output, ending }: Evidence): Verdict => {
  const open = [...output.matchAll(/ (\d+) -> (.*)$/gm)].map(([, number, target]) => ({
    number: Number(number),
    target,
  }));
  if (open.length === 0) return { isConfined: false, detail: `cannot be tried: ${ending}` };
  // The listing program opens the listed folder itself; /dev/null stands for a closed descriptor.
  const others = open.filter(
    ({ number, target = "" }) => number > 2 && !/^(\/proc\/\d+\/fd|\/dev\/null)$/.test(target),
  );
  const detail = others.map(({ number, target }) => `${number} is ${target}`).join(", ");
  return { isConfined: others.length === 0, detail: detail || "input, output and errors alone" };
};

const mustWork = (seen: Observation): Verdict => ({
  isConfined: seen.outcome === "reached",
  detail: seen.detail,
});

const mustCollect = (_: Observation, { collected, ending }: Evidence): Verdict => {
  const isConfined = collected.written !== undefined;
  return { isConfined, detail: isConfined ? "the file was collected" : `nothing came back; ${ending}` };
};

const mustNotFollow = (_: Observation, { collected, observations }: Evidence): Verdict => {
  if (!observations.has("read-home-through-link"))
    return { isConfined: false, detail: "cannot be tried: no link" };
  const isConfined = collected.link === undefined;
  return { isConfined, detail: isConfined ? "the link was skipped" : "what it points to was copied" };
};

/** In display order. */
const checkTable: Readonly<Record<string, CheckRow>> = {
  "read-home": { title: "cannot read a file in the home folder", judge: mustNotKnow },
  "read-home-through-init": {
    title: "cannot read it through the root of the first process",
    judge: mustNotKnow,
    isLinux: true,
  },
  "read-home-through-link": { title: "cannot read it through a link", judge: mustNotKnow },
  "read-temporary": { title: "cannot read the host's temporary files", judge: mustNotKnow },
  "read-passwords": { title: "cannot read /etc/shadow", judge: mustFail },
  "write-home": { title: "cannot write to the home folder", judge: mustNotShow },
  "write-temporary": { title: "cannot write to the host's temporary folder", judge: mustNotShow },
  "change-skill": { title: "cannot change the skill", judge: mustFail },
  "collect-link": { title: "cannot make the host collect the target of a link", judge: mustNotFollow },
  "read-environment": { title: "cannot read the host's environment", judge: mustNotKnow },
  "read-environment-of-others": {
    title: "cannot read the environment of other processes",
    judge: mustNotKnow,
    isLinux: true,
  },
  "inherit-descriptor": {
    title: "cannot use open descriptors of the host",
    judge: mustNotInherit,
    isLinux: true,
  },
  "see-processes": { title: "cannot see the host's processes", judge: mustNotSee },
  "signal-process": { title: "cannot signal a host process", judge: mustFail },
  "read-memory": { title: "cannot open the memory of a host process", judge: mustFail, isLinux: true },
  "connect-loopback": { title: "cannot connect to a server on the loopback address", judge: mustFail },
  "connect-address": { title: "cannot connect to a server on the host's address", judge: mustFail },
  "connect-socket": { title: "cannot connect to a Unix socket", judge: mustFail },
  "connect-abstract-socket": {
    title: "cannot connect to an abstract Unix socket",
    judge: mustFail,
    isLinux: true,
  },
  "tunnel-to-loopback": {
    title: "cannot reach a server on the loopback address through its proxy",
    judge: mustFail,
  },
  "use-terminal": { title: "cannot use the terminal", judge: mustFail },
  "open-device": { title: "cannot open a device", judge: mustFail },
  "change-kernel": { title: "cannot change kernel settings", judge: mustFail, isLinux: true },
  "mount-folder": { title: "cannot mount a folder", judge: mustFail },
  "make-user-namespace": { title: "cannot create a user namespace", judge: mustFail, isLinux: true },
  "gain-privileges": {
    title: "cannot gain privileges through a setuid program",
    judge: mustFail,
    isLinux: true,
  },
  "use-any-call": { title: "cannot use every system call", judge: mustFail, isLinux: true },
  ...Object.fromEntries(
    callTable.map(({ name, title }) => [
      name,
      { title: `cannot ${title}`, judge: mustBeFiltered, isLinux: true },
    ]),
  ),
  "exceed-disk": { title: "cannot write more than its disk limit", judge: mustFail },
  "exceed-processes": { title: "cannot start more processes than its limit", judge: mustFail },
  "read-skill": { title: "can read the skill", judge: mustWork },
  "write-work": { title: "can write to the working folder", judge: mustWork },
  "collect-file": { title: "can output a file", judge: mustCollect },
};
