import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

const Login = z.strictObject({
  /** As `showAddress` writes it. */
  url: z.string().max(2048),
  token: z.string().max(256),
  isInsecure: z.boolean().optional(),
});
/** A gateway, and the token that its user has for it. */
export type GatewayLogin = Readonly<z.infer<typeof Login>>;

const LoginList = z.strictObject({ version: z.literal(1), gateways: z.array(Login).max(1000) });

/** Contract: `path` is where the text was, for those who are to mend it. */
export function readLoginList(text: string, path: string): readonly GatewayLogin[] {
  try {
    return LoginList.parse(JSON.parse(text)).gateways;
  } catch {
    // What is wrong with it is not told: it has secrets in it.
    throw new SkillError("CONFIG_INVALID", `${path} is not a list of gateways.`, {
      hint: "Remove it, and log in again.",
      details: { path },
    });
  }
}

export function writeLoginList(gateways: readonly GatewayLogin[]): string {
  return `${JSON.stringify({ version: 1, gateways }, undefined, 2)}\n`;
}
