import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The host variables that package managers receive, besides their own PATH and HOME: registry, proxy,
 * certificates and credentials. Installed packages are never executed, so no package sees these values.
 */
const PASSED: readonly RegExp[] = [
  /^npm_config_(?:registry|userconfig|globalconfig|cafile|noproxy|proxy|https_proxy)$/i,
  /^(?:NPM_TOKEN|NODE_AUTH_TOKEN)$/,
  /^PIP_(?:INDEX_URL|CONFIG_FILE|CERT|TRUSTED_HOST|PROXY|DEFAULT_TIMEOUT)$/,
  /^UV_(?:INDEX_URL|DEFAULT_INDEX|CONFIG_FILE|NATIVE_TLS)$/,
  /^(?:https?_proxy|no_proxy|all_proxy)$/i,
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE)$/,
];

/**
 * The complete environment of an installation. `work` is its own folder, so the user's home is not written
 * to.
 */
export async function installVariables(
  env: Variables,
  work: string,
): Promise<Readonly<Record<string, string>>> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && PASSED.some((each) => each.test(entry[0])),
  );
  return {
    ...(await userSettings(env)),
    ...Object.fromEntries(passed),
    PATH: (env["PATH"] ?? "").split(":").filter(isAbsolute).join(":"),
    HOME: join(work, "home"),
    TMPDIR: join(work, "tmp"),
    LANG: "C.UTF-8",
  };
}

/** The user's settings may name a private registry, so they apply although HOME is another folder. */
async function userSettings({ HOME: home }: Variables): Promise<Readonly<Record<string, string>>> {
  if (home === undefined || !isAbsolute(home)) return {};
  const npm = await firstFile([join(home, ".npmrc")]);
  const pip = await firstFile([join(home, ".config", "pip", "pip.conf"), join(home, ".pip", "pip.conf")]);
  return {
    ...(npm === undefined ? {} : { npm_config_userconfig: npm }),
    ...(pip === undefined ? {} : { PIP_CONFIG_FILE: pip }),
  };
}

async function firstFile(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if ((await stat(path).catch(() => undefined))?.isFile() === true) return path;
  }
  return undefined;
}
