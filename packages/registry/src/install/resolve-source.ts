import { clawhubSource, skillsShSource } from "./clawhub-source.ts";
import { gatewaySource } from "./gateway-source.ts";
import { gitSource } from "./git/git-source.ts";
import { localSource } from "./local-source.ts";
import { marketplaceSource } from "./marketplace-source.ts";
import { npmSource } from "./npm-source.ts";
import { ociSource } from "./oci-source.ts";
import type { Resolved, SourcePorts } from "./source.ts";
import type { SourceSpec } from "./source-spec.ts";
import { webSource } from "./web-source.ts";

/** Finds out what a source has. */
export async function resolveSource(spec: SourceSpec, ports: SourcePorts): Promise<Resolved> {
  switch (spec.kind) {
    case "local":
      return await localSource.resolve(spec, ports);
    case "git":
      return await gitSource.resolve(spec, ports);
    case "index":
    case "download":
      return await webSource.resolve(spec, ports);
    case "clawhub":
      return await clawhubSource.resolve(spec, ports);
    case "skills-sh":
      return await skillsShSource.resolve(spec, ports);
    case "npm":
      return await npmSource.resolve(spec, ports);
    case "oci":
      return await ociSource.resolve(spec, ports);
    case "marketplace":
      return await marketplaceSource.resolve(spec, ports);
    case "gateway":
      return await gatewaySource.resolve(spec, ports);
  }
}
