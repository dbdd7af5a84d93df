import type { Incoherence } from "./finding.ts";
import { type CapabilityManifest, type ListCapability, listOf } from "./manifest.ts";

/** What a skill says about itself. */
export interface Declaration {
  /** All instructions and the description. */
  readonly text: string;
  /** Patterns of `allowed-tools`; undefined when the field is absent. */
  readonly allowedTools: readonly string[] | undefined;
  /** Names in `requires` of the metadata: variables and programs. */
  readonly required: readonly string[];
}

const COMPARED: readonly (readonly [ListCapability, string])[] = [
  ["network.hosts", "Code contacts {}, which the instructions do not mention."],
  ["env.names", "Code reads the variable {}, which the instructions do not mention."],
  ["reads.secretPaths", "Code reads {}, which the instructions do not mention."],
];

const MAX_FOUND = 50;

/** Capabilities that code has and the skill does not mention. */
export function findIncoherence(manifest: CapabilityManifest, declared: Declaration): readonly Incoherence[] {
  const text = declared.text.toLowerCase();
  const required = new Set(declared.required.map((name) => name.toLowerCase()));
  const found: Incoherence[] = [];
  const add = (capability: string, value: string, message: string) =>
    found.push({
      capability,
      value,
      severity: "warn",
      message,
      seen: manifest.evidence[value === "" ? capability : `${capability}:${value}`] ?? [],
    });
  for (const [capability, message] of COMPARED)
    for (const value of listOf(manifest, capability)) {
      const isKnown =
        capability === "network.hosts" ? mentionsHost(text, value) : text.includes(value.toLowerCase());
      if (!isKnown && !required.has(value.toLowerCase()))
        add(capability, value, message.replace("{}", value));
    }
  const mayRun =
    declared.allowedTools === undefined ||
    declared.allowedTools.some((tool) => /^(?:bash|shell|execute|run|\*)/i.test(tool));
  if (manifest.process.shell && !mayRun)
    add("process.shell", "", "Code runs shell command lines, and allowed-tools has no shell.");
  return found.slice(0, MAX_FOUND);
}

/** Whether a text names a host, its domain or the first word of its domain, as "Stripe" does api.stripe.com. */
function mentionsHost(text: string, host: string): boolean {
  if (text.includes(host)) return true;
  const parts = host.split(".");
  const domain = parts.slice(-2).join(".");
  const [word = ""] = parts.slice(-2);
  return text.includes(domain) || (word.length > 3 && text.includes(word));
}
