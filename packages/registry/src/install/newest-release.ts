import { SkillError } from "@skillhold/protocol/error";
import { gt, valid } from "semver";
import { z } from "zod";
import { type Fetcher, parseJson } from "./fetcher/index.ts";

const Tags = z.looseObject({ latest: z.string().max(100) });

/** The newest release of a package in an npm registry; undefined for a package that the registry does not have. */
export async function newestRelease(
  name: string,
  registry: string,
  fetcher: Pick<Fetcher, "fetch">,
): Promise<string | undefined> {
  const address = `${registry.replace(/\/+$/, "")}/-/package/${name.replace("/", "%2f")}/dist-tags`;
  const { status, bytes, url } = await fetcher.fetch(address, { maxBytes: 1024 * 1024, accepts: [404] });
  if (status === 404) return undefined;
  const tags = Tags.safeParse(parseJson(bytes, url));
  if (tags.success && valid(tags.data.latest) !== null) return tags.data.latest;
  throw new SkillError("REMOTE_FAILED", `${address} names no release.`);
}

/** Whether a release is newer than the one in use. */
export function isNewerRelease(release: string, current: string): boolean {
  return gt(release, current);
}
