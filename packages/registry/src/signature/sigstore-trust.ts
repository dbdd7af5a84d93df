import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

/** Verification uses only these roots, so it needs no network. */
export interface SigstoreTrust {
  readonly roots: readonly SigstoreRoot[];
  readonly identities: readonly SigstoreIdentity[];
}

/** A trusted root: the certificate authorities and the transparency logs of one Sigstore instance. */
export interface SigstoreRoot {
  readonly file: string;
  readonly root: z.infer<typeof TrustedRoot>;
}

const word = z
  .string()
  .max(2048)
  .regex(/^[\x21-\x7e]+$/);
export const SigstoreIdentity = z.strictObject({
  /** The subject of the certificate. `*` stands for characters other than `/`. */
  identity: word,
  /** The OpenID Connect provider that confirmed the identity. */
  issuer: word,
});
export type SigstoreIdentity = Readonly<z.infer<typeof SigstoreIdentity>>;

const Identities = z.strictObject({ version: z.literal(1), identities: z.array(SigstoreIdentity).max(1000) });

export function readSigstoreIdentities(content: string, path: string): readonly SigstoreIdentity[] {
  const { data } = Identities.safeParse(parseJson(content));
  if (data !== undefined) return data.identities;
  throw new SkillError("CONFIG_INVALID", `${path} is not a list of Sigstore identities.`, {
    hint: "Correct the file, or remove it and add the identities again with `skillhold trust add --issuer`.",
    details: { path },
  });
}

export function writeSigstoreIdentities(identities: readonly SigstoreIdentity[]): string {
  const { data } = Identities.safeParse({ version: 1, identities });
  if (data !== undefined) return `${JSON.stringify(data, undefined, 2)}\n`;
  throw new SkillError("USAGE", "An identity or an issuer has a blank or a character outside ASCII.", {
    hint: "Write both as the certificate has them, for example alice@example.org and https://accounts.google.com.",
  });
}

const list = z.array(z.looseObject({})).max(1000);
const TrustedRoot = z.looseObject({
  mediaType: z.string().startsWith("application/vnd.dev.sigstore.trustedroot"),
  tlogs: list.min(1),
  certificateAuthorities: list.min(1),
  ctlogs: list.optional(),
  timestampAuthorities: list.optional(),
});

/** Reads the trusted roots of a JSON file, or of one with a JSON object per line. */
export function readSigstoreRoots(content: string, file: string): readonly SigstoreRoot[] {
  const whole = parseJson(content);
  const objects =
    whole === undefined
      ? content
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map(parseJson)
      : [whole];
  const { data } = z.array(TrustedRoot).min(1).max(100).safeParse(objects);
  if (data !== undefined) return data.map((root) => ({ file, root }));
  throw new SkillError("CONFIG_INVALID", `${file} is not a trusted root of Sigstore.`, {
    hint: "`cosign trusted-root create` and `gh attestation trusted-root` write one.",
  });
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
