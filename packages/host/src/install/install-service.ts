import { lookup } from "node:dns/promises";
import { join } from "node:path";
import type { InstallService } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import {
  baseFolder,
  DEFAULT_MIN_AGE_MS,
  Fetcher,
  InstallState,
  installGuard,
  systemGit,
} from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import type { GuardScan } from "@skillhold/skill/guard";
import type { Env } from "../place/machine.ts";
import { npmRegistry } from "./npm-registry.ts";
import { readTrust } from "./trust-store.ts";

/** Private hosts that a gateway may install from, separated by commas. */
const HOSTS_VARIABLE = "SKILLHOLD_INSTALL_HOSTS";

/** The minimum age of updates in days. */
const AGE_VARIABLE = "SKILLHOLD_INSTALL_MIN_AGE";

function readMinAge(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_MIN_AGE_MS;
  const days = Number(text);
  if (/^\d{1,4}$/.test(text) && days <= 3650) return days * 86_400_000;
  throw new SkillError(
    "CONFIG_INVALID",
    `${AGE_VARIABLE} is ${JSON.stringify(text)}, not a number of days.`,
    {
      hint: "Set it to a number from 0 to 3650.",
    },
  );
}

interface InstallPlace {
  readonly env: Env;
  readonly folder: string;
  readonly limits: Limits;
  readonly guardScan: GuardScan;
}

/** A gateway installs from public hosts over TLS, and from the private hosts that its operator names. It uses no keys of its user. */
export function installService({ env, folder, limits, guardScan }: InstallPlace): InstallService {
  const named = new Set((env[HOSTS_VARIABLE] ?? "").split(",").map((host) => host.trim().toLowerCase()));
  const policy = { isPrivateAllowed: (host: string) => named.has(host), isPlainAllowed: () => false };
  const resolve = async (host: string) =>
    (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  const { PATH } = env;
  return {
    guard: installGuard(guardScan),
    minAgeMs: readMinAge(env[AGE_VARIABLE]),
    state: new InstallState(join(folder, "install.json")),
    bases: baseFolder(join(folder, "upstream"), limits),
    open: async (work, signal) => {
      const trust = await readTrust(env);
      const fetcher = new Fetcher({ resolve, policy, limits, signal });
      const git = systemGit({ launch, pins: fetcher.pins, env: { PATH }, isPlainAllowed: () => false });
      const settings = {
        cwd: work,
        clawhubRegistry: env["CLAWHUB_REGISTRY"],
        npmRegistry: () =>
          npmRegistry({ env: { PATH, npm_config_registry: env["npm_config_registry"] }, cwd: work }),
      };
      return {
        ports: { fetcher, git, settings, limits, work, signal },
        trust,
        policy: trust.policy,
        close: () => fetcher.close(),
      };
    },
  };
}
