import {
  type CapabilityManifest,
  type FlagCapability,
  flagCapabilities,
  flagOf,
  type GuardPlace,
  type ListCapability,
  listCapabilities,
  listOf,
} from "./manifest.ts";

export interface CapabilityChange {
  readonly capability: ListCapability | FlagCapability;
  /** The entry of a list; absent for a capability that is yes or no. */
  readonly value?: string;
  readonly seen: readonly GuardPlace[];
}

/** What an update can do that the revision before it could not, and the reverse. */
export interface CapabilityDiff {
  readonly widened: readonly CapabilityChange[];
  readonly narrowed: readonly CapabilityChange[];
}

/** Compares two manifests. An update needs a new approval exactly when `widened` is not empty. */
export function diffManifests(before: CapabilityManifest, after: CapabilityManifest): CapabilityDiff {
  return { widened: additions(before, after), narrowed: additions(after, before) };
}

function additions(from: CapabilityManifest, to: CapabilityManifest): readonly CapabilityChange[] {
  const changes: CapabilityChange[] = [];
  for (const capability of listCapabilities) {
    const known = new Set(listOf(from, capability));
    for (const value of listOf(to, capability))
      if (!known.has(value))
        changes.push({ capability, value, seen: to.evidence[`${capability}:${value}`] ?? [] });
  }
  for (const capability of flagCapabilities)
    if (flagOf(to, capability) && !flagOf(from, capability))
      changes.push({ capability, seen: to.evidence[capability] ?? [] });
  return changes;
}

/** A change as lists write it: `network.hosts api.example.com`. */
export function formatChange({ capability, value }: CapabilityChange): string {
  return value === undefined ? capability : `${capability} ${value}`;
}
