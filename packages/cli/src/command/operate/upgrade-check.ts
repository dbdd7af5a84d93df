import { lookup } from "node:dns/promises";
import { normalHost } from "@skillhold/core/network";
import { npmRegistry } from "@skillhold/host/install";
import { productVersion } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { Fetcher } from "@skillhold/registry/install";
import { isNewerRelease, newestRelease } from "@skillhold/registry/install/registry";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--npm-registry <url>", summary: "ask this registry; by default that of your npm configuration" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["upgrade-check"],
  run,
});

/** Asks the registry once. No other command asks it for releases of Skillhold. */
async function run({ options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const current = productVersion();
  const latest = await askRegistry(options.npmRegistry, io);
  const isNewer = latest !== undefined && isNewerRelease(latest, current);
  if (io.json) {
    printData(io, { current, latest: latest ?? null, isNewer });
    return 0;
  }
  if (latest === undefined) io.out(`Skillhold ${current}. The registry has no release of Skillhold.\n`);
  else if (isNewer) io.out(`Skillhold ${plain(latest)} is available. You have ${current}.\n`);
  else io.out(`Skillhold ${current} is up to date.\n`);
  return 0;
}

async function askRegistry(named: string | undefined, io: Io): Promise<string | undefined> {
  const registry = named ?? (await npmRegistry(io));
  const url = registry === undefined ? null : URL.parse(registry);
  if (registry === undefined || url === null)
    throw new SkillError("CONFIG_INVALID", "No npm registry is configured.", {
      hint: "Add --npm-registry <url>.",
    });
  // The user configured this host, so it may be private.
  const isNamed = (host: string) => host === normalHost(url);
  const fetcher = new Fetcher({
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    policy: { isPrivateAllowed: isNamed, isPlainAllowed: isNamed },
    limits: defaultLimits,
    signal: io.signal,
  });
  try {
    return await newestRelease("skillhold", registry, fetcher);
  } finally {
    fetcher.close();
  }
}
