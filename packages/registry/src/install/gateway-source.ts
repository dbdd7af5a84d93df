import { nodeHost } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { ANY_RUNTIME } from "@skillhold/skill";
import { SeenLog, witnessLog } from "../audit/log-witness.ts";
import { type GatewayAccess, GatewayClient, openRemoteLibrary } from "../remote/index.ts";
import { offer } from "./download.ts";
import { type InstallSource, makeWork, type SkillOrigin, type SourcePorts } from "./source.ts";
import type { GatewaySpec } from "./source-spec.ts";

/** A skill of another gateway. Every file is verified by the tree hash that the gateway announces. */
export const gatewaySource: InstallSource<GatewaySpec> = {
  resolve: async ({ url, id, revision }, ports) => {
    if (ports.gateway === undefined)
      throw new SkillError("POLICY_DENIED", "Other gateways are not a source here.", {
        hint: "Install from the command line, where you are logged in at the gateway.",
      });
    const access = await ports.gateway(url);
    await witness(access, ports);
    const host = nodeHost({ env: {}, platform: process.platform, cwd: ports.settings.cwd });
    const ids = { next: () => "" };
    const library = await openRemoteLibrary(access, { host, ids, limits: ports.limits });
    const viewer = {
      runtime: ANY_RUNTIME,
      invoker: "any" as const,
      ...(revision === undefined ? {} : { pins: { [id]: revision } }),
    };
    const folder = makeWork(ports, "gateway");
    const { entry } = await library.copy(viewer, id, folder).finally(() => library.close());
    const origin: SkillOrigin = {
      source: "gateway",
      origin: id,
      originUrl: access.url,
      spec: `gateway:${access.url}/${id}`,
      publisher: new URL(access.url).host,
      ...(entry.revision === undefined ? {} : { release: String(entry.revision) }),
      digests: entry.treeHash === undefined ? {} : { treeHash: entry.treeHash },
      verified: "digest",
    };
    return offer({ folder }, [{ name: id, path: "." }], () => origin);
  },
};

/** Refuses a gateway whose audit log is not the one that was seen before, or a continuation of it. */
async function witness(access: GatewayAccess, { logs, limits }: SourcePorts): Promise<void> {
  if (logs === undefined) return;
  const client = new GatewayClient(access, limits);
  try {
    const { data: now } = await client.ask("getCheckpoint");
    const prove = async (from: number, to: number) => {
      const query = { from: String(from), to: String(to) };
      return (await client.ask("proveConsistency", { query })).data.path;
    };
    const { origin, size, root } = await witnessLog(logs.find(access.url), now, prove);
    logs.keep(access.url, SeenLog.parse({ origin, size, root }));
  } finally {
    client.close();
  }
}
