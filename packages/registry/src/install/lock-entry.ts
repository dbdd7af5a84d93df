import type { Digest, Provenance } from "@skillhold/protocol";
import { type LockedSkill, skillsLockHash } from "../format/index.ts";
import { publisherOf } from "./git/git-source.ts";
import type { SkillOrigin } from "./source.ts";
import { formatSource, type GitSpec } from "./source-spec.ts";
import type { InstallChange, InstallRecord } from "./target.ts";

/** An install as a lock records it: in the words of the `skills` command line, with ours in `skillhold`. */
export function toLockEntry(change: InstallChange, pinned: boolean): LockedSkill {
  const { staged, origin, upstream, signer } = change;
  const ours = {
    treeHash: staged.treeHash,
    ...(upstream === staged.treeHash ? {} : { upstream }),
    spec: origin.spec,
    path: origin.path,
    commit: origin.commit,
    subtree: origin.subtree,
    publisher: origin.publisher,
    release: origin.release,
    verified: origin.verified,
    signer,
    pinned: pinned ? true : undefined,
  };
  return {
    ...sourceOf(origin),
    computedHash: skillsLockHash(staged.files),
    // The order of fields is that of the object: what has no value is left out of the file.
    skillhold: JSON.parse(JSON.stringify(ours)),
  };
}

function sourceOf(origin: SkillOrigin): LockedSkill {
  const { source, originUrl = "", ref, path } = origin;
  const skillPath = path === undefined ? "SKILL.md" : `${path}/SKILL.md`;
  const common = ref === undefined ? {} : { ref };
  if (source === "git") {
    const forge = forgeOf(originUrl);
    return forge === undefined
      ? { source: originUrl, sourceUrl: originUrl, ...common, sourceType: "git", skillPath }
      : { source: forge.name, sourceUrl: originUrl, ...common, sourceType: forge.type, skillPath };
  }
  if (source === "index") {
    const digest = origin.digests?.["artifact"];
    const base = {
      source: URL.parse(originUrl)?.host ?? originUrl,
      sourceUrl: origin.spec ?? originUrl,
      sourceType: "well-known",
    };
    return digest === undefined ? base : { ...base, wellKnownDigest: digest };
  }
  if (source === "folder" || source === "archive")
    return { source: origin.origin ?? "", sourceType: "local" };
  return { source: origin.spec ?? origin.origin ?? "", sourceUrl: originUrl, ...common, sourceType: source };
}

function forgeOf(url: string): { readonly name: string; readonly type: "github" | "gitlab" } | undefined {
  const parsed = URL.parse(url);
  const name = (parsed?.pathname ?? "").replace(/^\/|\.git$/g, "");
  if (parsed?.host === "github.com") return { name, type: "github" };
  return parsed?.host === "gitlab.com" ? { name, type: "gitlab" } : undefined;
}

/** What a lock says of a skill's source; undefined for what cannot be asked for again. */
export function fromLockEntry(
  entry: LockedSkill,
): (InstallRecord & { readonly treeHash: Digest }) | undefined {
  const { skillhold } = entry;
  // A hash that was written by hand is compared and found to differ: no more depends on it.
  const digest = (text: string) => text as Digest;
  if (skillhold?.spec !== undefined) {
    const {
      treeHash,
      upstream = treeHash,
      spec,
      path,
      commit,
      subtree,
      publisher,
      release,
      signer,
      pinned = false,
    } = skillhold;
    return {
      spec,
      source: sourceKind(spec),
      path,
      commit,
      subtree,
      publisher,
      release,
      signer,
      treeHash: digest(treeHash),
      upstream: digest(upstream),
      isPinned: pinned,
    };
  }
  const spec = foreignSpec(entry);
  if (spec === undefined) return undefined;
  const hash = digest(skillhold?.upstream ?? skillhold?.treeHash ?? "");
  const path = entry.skillPath?.replace(/\/?SKILL\.md$/i, "");
  return {
    spec,
    source: sourceKind(spec),
    path: path === "" ? undefined : path,
    commit: undefined,
    subtree: undefined,
    publisher: publisherOf(spec.replace(/^git\+/, "")),
    release: undefined,
    signer: undefined,
    treeHash: hash,
    upstream: hash,
    isPinned: false,
  };
}

/** Of an entry that another program wrote. */
function foreignSpec({
  source = "",
  sourceType,
  sourceUrl,
  ref,
  skillPath = "",
}: LockedSkill): string | undefined {
  const path = skillPath.replace(/\/?SKILL\.md$/i, "");
  const hosts: Readonly<Record<string, string>> = { github: "github.com", gitlab: "gitlab.com" };
  const host = hosts[sourceType ?? ""];
  const url = sourceUrl ?? (host === undefined ? source : `https://${host}/${source}.git`);
  if (sourceType === "well-known")
    return sourceUrl ?? (source.startsWith("http") ? source : `https://${source}`);
  if (host === undefined && sourceType !== "git") return undefined;
  const spec: GitSpec = {
    kind: "git",
    url: url.endsWith(".git") || sourceType === "git" ? url : `${url}.git`,
    ...(ref === undefined ? {} : { ref }),
    ...(path === "" ? {} : { path }),
  };
  return formatSource(spec);
}

function sourceKind(spec: string): Provenance["source"] {
  const [prefix = ""] = spec.split(/[:+]/);
  if (
    prefix === "git" ||
    prefix === "clawhub" ||
    prefix === "npm" ||
    prefix === "oci" ||
    prefix === "gateway"
  )
    return prefix;
  if (prefix === "marketplace") return "git";
  return prefix === "skills-sh" ? "clawhub" : "index";
}
