import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import type { SkillOrigin, Verified } from "./source.ts";

const Rule = z.strictObject({
  /** The start of a source's address, or `*` for every source. */
  source: z.string().min(1).max(2048),
  require: z.enum(["none", "digest", "signature"]),
});
export type TrustRule = Readonly<z.infer<typeof Rule>>;

/** How much proof each source needs; the last rule that fits decides. */
export type TrustPolicy = readonly TrustRule[];

const Policy = z.strictObject({ version: z.literal(1), rules: z.array(Rule).max(1000) });

export function readTrustPolicy(text: string, path: string): TrustPolicy {
  try {
    return Policy.parse(JSON.parse(text)).rules;
  } catch (error) {
    throw new SkillError("CONFIG_INVALID", `${path} is not a trust policy.`, {
      hint: "Correct the file, or remove it and set the rules again with `skillhold trust add --require`.",
      details: { path },
      cause: error,
    });
  }
}

export function writeTrustPolicy(rules: TrustPolicy): string {
  return `${JSON.stringify({ version: 1, rules }, undefined, 2)}\n`;
}

/** What the policy asks of a source. A prefix ends where a part of the address does. */
export function requirementFor(
  { spec, originUrl }: Pick<SkillOrigin, "spec" | "originUrl">,
  policy: TrustPolicy,
): Verified {
  const addresses = [spec, originUrl].flatMap((each) =>
    each === undefined ? [] : [each, each.replace(/^git\+/, "")],
  );
  const fits = ({ source }: TrustRule) =>
    source === "*" || addresses.some((address) => isBelow(address, source));
  return policy.findLast(fits)?.require ?? "none";
}

function isBelow(address: string, prefix: string): boolean {
  if (!address.startsWith(prefix)) return false;
  return (
    address.length === prefix.length ||
    /[/@#:.]$/.test(prefix) ||
    /^[/@#:.]/.test(address.slice(prefix.length))
  );
}
