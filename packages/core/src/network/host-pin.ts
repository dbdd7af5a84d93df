import { isIP } from "node:net";
import { SkillError } from "@skillhold/protocol/error";
import { isPublicAddress } from "./address-guard.ts";

/** Finds the addresses of a host's name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface NetworkPolicy {
  /** Whether this host may be on this machine or in a private network: one that its user or operator named. */
  isPrivateAllowed(host: string): boolean;
}

export interface PinnedHost {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Resolves each host once, judges the address, and keeps it. Whatever a name server answers later, every connection goes
 * to the address that was judged.
 */
export class HostPins {
  readonly #resolve: Resolve;
  readonly #policy: NetworkPolicy;
  readonly #pinned = new Map<string, Promise<string>>();

  constructor(resolve: Resolve, policy: NetworkPolicy) {
    this.#resolve = resolve;
    this.#policy = policy;
  }

  /** Throws POLICY_DENIED for an address that may not be reached, REMOTE_FAILED for a name without one. */
  async pin(url: URL): Promise<PinnedHost> {
    const host = normalHost(url);
    let found = this.#pinned.get(host);
    if (found === undefined) {
      found = this.#judge(host);
      this.#pinned.set(host, found);
    }
    const address = await found;
    const port = url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
    return { host, port, address, family: isIP(address) === 6 ? 6 : 4 };
  }

  async #judge(host: string): Promise<string> {
    const addresses = isIP(host) === 0 ? await this.#lookUp(host) : [host];
    const [first] = addresses;
    if (first === undefined) throw unknownHost(host);
    if (this.#policy.isPrivateAllowed(host)) return first;
    // One private address among public ones is enough: a name that answers with both is an attack or a mistake.
    const refused = addresses.find((address) => !isPublicAddress(address));
    if (refused === undefined) return first;
    throw new SkillError("POLICY_DENIED", `${host} is at ${refused}, which is not a public address.`, {
      hint: "Install from a public host, or have the operator allow this one by name.",
      details: { host, address: refused },
    });
  }

  async #lookUp(host: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw unknownHost(host, error);
    }
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "ssh:": 22 };

/** The host in one spelling: lower case, punycode, no brackets, no trailing dot. */
export function normalHost({ hostname }: URL): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function unknownHost(host: string, cause?: unknown): SkillError {
  return new SkillError("REMOTE_FAILED", `The host ${host} has no address.`, {
    hint: "Correct the host's name, or check that this machine has network.",
    details: { host },
    cause,
  });
}
