import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

const Login = z.strictObject({
  /** As formatted by `showAddress`. */
  url: z.string().max(2048),
  token: z.string().max(256),
  isInsecure: z.boolean().optional(),
});
/** A gateway with the user's token. */
export type GatewayLogin = Readonly<z.infer<typeof Login>>;

const LoginList = z.strictObject({ version: z.literal(1), gateways: z.array(Login).max(1000) });

/** `path` is used in the error message. */
export function readLoginList(text: string, path: string): readonly GatewayLogin[] {
  try {
    return LoginList.parse(JSON.parse(text)).gateways;
  } catch {
    // The file contains secrets, so the message does not include the parse error.
    throw new SkillError("CONFIG_INVALID", `${path} is not a valid list of gateway logins.`, {
      hint: "Delete the file and log in again.",
      details: { path },
    });
  }
}

export function writeLoginList(gateways: readonly GatewayLogin[]): string {
  return `${JSON.stringify({ version: 1, gateways }, undefined, 2)}\n`;
}
