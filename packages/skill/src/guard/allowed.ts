import type { CapabilityManifest } from "./manifest.ts";

/** One access that a running script asks for. */
export type CapabilityRequest =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "bin"; readonly name: string };

export type CapabilityAnswer =
  | { readonly isAllowed: true }
  /** `missing` is the manifest entry that would allow it. */
  | { readonly isAllowed: false; readonly missing: string };

/**
 * Whether a manifest covers a request. `approvedHosts` are hosts that a person listed for a skill with
 * `network.dynamic`: the flag grants no host by itself.
 *
 * Contract: the caller also asks the policy; the sandbox grants what both allow.
 */
export function allowedByManifest(
  manifest: CapabilityManifest,
  request: CapabilityRequest,
  approvedHosts: readonly string[] = [],
): CapabilityAnswer {
  switch (request.kind) {
    case "host": {
      const host = normalizeHost(request.host);
      const hosts = [...manifest.network.hosts, ...approvedHosts];
      return hosts.some((pattern) => matchesHost(normalizeHost(pattern), host))
        ? ALLOWED
        : { isAllowed: false, missing: `network.hosts ${host}` };
    }
    case "env":
      return manifest.env.all || manifest.env.names.includes(request.name)
        ? ALLOWED
        : { isAllowed: false, missing: `env.names ${request.name}` };
    case "bin":
      return manifest.process.bins.includes(request.name)
        ? ALLOWED
        : { isAllowed: false, missing: `process.bins ${request.name}` };
  }
}

const ALLOWED: CapabilityAnswer = { isAllowed: true };

/** `*.example.com` covers every host below example.com, and not example.com itself. */
function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === host;
  return host.length > pattern.length - 1 && host.endsWith(pattern.slice(1));
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
