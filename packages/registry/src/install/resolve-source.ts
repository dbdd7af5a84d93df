import type { Resolved, SourcePorts } from "./source.ts";
import type { SourceSpec } from "./source-spec.ts";

/** Finds out what a source has. Each kind is loaded when it is used, because its modules slow down every start. */
export async function resolveSource(spec: SourceSpec, ports: SourcePorts): Promise<Resolved> {
  switch (spec.kind) {
    case "local":
      return await (await import("./local-source.ts")).localSource.resolve(spec, ports);
    case "git":
      return await (await import("./git/git-source.ts")).gitSource.resolve(spec, ports);
    case "index":
    case "download":
      return await (await import("./web-source.ts")).webSource.resolve(spec, ports);
    case "clawhub":
      return await (await import("./clawhub-source.ts")).clawhubSource.resolve(spec, ports);
    case "skills-sh":
      return await (await import("./clawhub-source.ts")).skillsShSource.resolve(spec, ports);
    case "npm":
      return await (await import("./npm-source.ts")).npmSource.resolve(spec, ports);
    case "oci":
      return await (await import("./oci-source.ts")).ociSource.resolve(spec, ports);
    case "marketplace":
      return await (await import("./marketplace-source.ts")).marketplaceSource.resolve(spec, ports);
    case "gateway":
      return await (await import("./gateway-source.ts")).gatewaySource.resolve(spec, ports);
  }
}
