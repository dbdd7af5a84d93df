import { z } from "zod";

const Config = z.looseObject({
  auths: z.record(z.string(), z.looseObject({ auth: z.string().optional() })).optional(),
});

/** The login of a host in the `config.json` of Docker, as `user:password` in Base64; undefined where it has none. */
export function findOciLogin(text: string, host: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { auths = {} } = Config.safeParse(value).data ?? {};
  const { auth } = (Object.hasOwn(auths, host) ? auths[host] : undefined) ?? {};
  return auth !== undefined && /^[A-Za-z0-9+/]+=*$/.test(auth) ? auth : undefined;
}
