import { z } from "zod";
import { type SignatureCheck, strongest } from "./signature-check.ts";
import { readStatement, verifySigstore } from "./sigstore.ts";
import type { SigstoreTrust } from "./sigstore-trust.ts";

const PROVENANCE: ReadonlySet<string> = new Set([
  "https://slsa.dev/provenance/v0.2",
  "https://slsa.dev/provenance/v1",
]);
const Attestations = z.looseObject({
  attestations: z.array(z.looseObject({ predicateType: z.string(), bundle: z.unknown() })).max(20),
});

/** A package of an npm registry with the attestations that the registry has of it. */
export interface AttestedPackage {
  readonly name: string;
  readonly version: string;
  /** The SHA-512 of the tarball in hexadecimal digits. */
  readonly sha512: string;
  /** The response of the registry. */
  readonly attestations: unknown;
}

/**
 * Checks the provenance of a package: every statement has to be about this tarball and to verify. Statements of other
 * kinds, such as the registry's own about the publication, say nothing about the origin.
 */
export function checkAttestations(
  { name, version, sha512, attestations }: AttestedPackage,
  trust: SigstoreTrust,
): SignatureCheck {
  const invalid = (reason: string): SignatureCheck => ({ status: "invalid", format: "sigstore", reason });
  const { data } = Attestations.safeParse(attestations);
  if (data === undefined) return invalid("the registry sent no list of attestations");
  const checks = data.attestations
    .filter(({ predicateType }) => PROVENANCE.has(predicateType))
    .map(({ bundle, predicateType }): SignatureCheck => {
      const statement = readStatement(bundle);
      if (statement?.predicateType !== predicateType) return invalid("its provenance is no such statement");
      const [subject, ...others] = statement.subject;
      if (others.length > 0 || decode(subject?.name ?? "") !== `pkg:npm/${name}@${version}`)
        return invalid(`its provenance is not about ${name}@${version}`);
      if (subject?.digest["sha512"] !== sha512)
        return invalid("its provenance is about other content, with another SHA-512");
      return verifySigstore(bundle, { format: "sigstore" }, trust);
    });
  return strongest(checks);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
