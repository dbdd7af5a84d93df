import { SkillError } from "@skillhold/protocol/error";
import type {
  ClawhubSpec,
  GatewaySpec,
  GitSpec,
  LocalSpec,
  MarketplaceSpec,
  NpmSpec,
  OciSpec,
  SkillsShSpec,
  SourceSpec,
  WebSpec,
} from "./source-spec.ts";

/** Why a text names no source, and what to write instead. */
export interface SourceProblem {
  readonly problem: string;
  readonly hint: string;
}

export interface GrammarOptions {
  /** The host of `owner/repo`; a GitHub Enterprise server has its own. */
  readonly githubHost?: string | undefined;
}

/** Reads a source, or throws USAGE. */
export function readSource(text: string, options: GrammarOptions = {}): SourceSpec {
  const read = parseSource(text, options);
  if (!("problem" in read)) return read;
  throw new SkillError("USAGE", `${JSON.stringify(shorten(text))} is not a source: ${read.problem}.`, {
    hint: read.hint,
  });
}

/** The one grammar of sources. Pure: asks neither a disk nor a network. */
export function parseSource(text: string, options: GrammarOptions = {}): SourceSpec | SourceProblem {
  const source = text.trim();
  if (source === "") return refuse("the text is empty");
  if (source.length > MOST_LENGTH) return refuse(`the text is longer than ${MOST_LENGTH} characters`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(source)) return refuse("the text has a control character");
  for (const parse of parsers) {
    const spec = parse(source, options);
    if (spec !== undefined) return spec;
  }
  return refuse("no known form fits");
}

const MOST_LENGTH = 2048;
const HINT =
  "Write a folder, an archive, owner/repo, a git or https URL, clawhub:@owner/slug, npm:name, oci://host/repo:tag, marketplace:source#plugin or gateway:url/id.";

function refuse(problem: string, hint = HINT): SourceProblem {
  return { problem, hint };
}

type Parse = (text: string, options: GrammarOptions) => SourceSpec | SourceProblem | undefined;

/** The first that answers decides. */
const parsers: readonly Parse[] = [
  parseLocal,
  parsePrefixed,
  parseScp,
  parseUrl,
  parseScoped,
  parseShorthand,
];

function parseLocal(text: string): LocalSpec | undefined {
  const isPath = /^(?:\.{1,2}$|\.{1,2}[\\/]|\/|~\/|[A-Za-z]:[\\/])/.test(text);
  return isPath ? { kind: "local", path: text } : undefined;
}

const prefixes: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ["github:", (rest, options) => parseShorthand(rest, options) ?? refuse("github: takes owner/repo")],
  ["gitlab:", (rest) => parseGitlab(rest)],
  ["git:", (rest, options) => parseOpenClawGit(rest, options)],
  ["git+", (rest) => parseCanonicalGit(rest)],
  ["clawhub:", (rest) => parseClawhub(rest)],
  ["skills-sh:", (rest) => parseSkillsSh(rest)],
  ["npm:", (rest) => parseNpm(rest)],
  ["oci://", (rest) => parseOci(rest)],
  ["marketplace:", (rest, options) => parseMarketplace(rest, options)],
  ["gateway:", (rest) => parseGateway(rest)],
]);

function parsePrefixed(text: string, options: GrammarOptions): SourceSpec | SourceProblem | undefined {
  // `git://` is a protocol without any protection, and `git@host:` is not a prefix.
  if (text.startsWith("git://")) return refuse("git:// is not encrypted", "Use the https or ssh address.");
  for (const [prefix, parse] of prefixes)
    if (text.startsWith(prefix)) return parse(text.slice(prefix.length), options);
  return undefined;
}

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,99})";
const SHORTHAND = new RegExp(`^(${NAME})/(${NAME})((?:/[^@#]+)?)(?:#([^@#]+))?(?:@([^@#/]+))?$`);

/** `owner/repo[/path][#ref][@skill]`. */
function parseShorthand(text: string, { githubHost }: GrammarOptions): GitSpec | SourceProblem | undefined {
  const [, owner, repo, path = "", ref, skill] = SHORTHAND.exec(text) ?? [];
  if (owner === undefined || repo === undefined) return undefined;
  const host = githubHost ?? "github.com";
  return git(`https://${host}/${owner}/${repo.replace(/\.git$/, "")}.git`, {
    ref: decode(ref),
    path: path.slice(1),
    skill: decode(skill),
  });
}

/** OpenClaw's form, in which `@` stands before the ref. */
function parseOpenClawGit(text: string, options: GrammarOptions): SourceSpec | SourceProblem {
  const [, rest = "", ref] = /^(.*?)(?:@([^@]+))?$/.exec(text) ?? [];
  const short = /^https?:|^ssh:|^git@/.test(rest) ? parseCanonicalGit(rest) : parseShorthand(rest, options);
  if (short === undefined || "problem" in short) return short ?? refuse("git: takes owner/repo@ref");
  return ref === undefined ? short : git(short.url, { ...short, ref: decode(ref) });
}

function parseGitlab(text: string): GitSpec | SourceProblem {
  const [, path, ref, skill] = /^([\w.-]+(?:\/[\w.-]+)+)(?:#([^@#]+))?(?:@([^@#/]+))?$/.exec(text) ?? [];
  if (path === undefined) return refuse("gitlab: takes group/project");
  return git(`https://gitlab.com/${path.replace(/\.git$/, "")}.git`, {
    ref: decode(ref),
    skill: decode(skill),
  });
}

/** The form that Skillhold writes down: `git+<url>#<ref>:<path>`. */
function parseCanonicalGit(text: string): GitSpec | SourceProblem {
  const [address = "", fragment = ""] = splitOnce(text, "#");
  const [ref = "", path = ""] = splitOnce(fragment, ":");
  return git(address, { ref: decode(ref), path: decode(path) });
}

/** `user@host:path`, as ssh writes it. */
function parseScp(text: string): GitSpec | SourceProblem | undefined {
  const [, user, host, path = ""] = /^([\w.-]+)@([\w.-]+):(?!\/\/)(.+)$/.exec(text) ?? [];
  if (user === undefined || host === undefined) return undefined;
  const [address = "", fragment] = splitOnce(path, "#");
  return git(`ssh://${user}@${host}/${address.replace(/^\//, "")}`, refOf(fragment));
}

function parseUrl(text: string, options: GrammarOptions): SourceSpec | SourceProblem | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null) return refuse("the URL cannot be read");
  if (url.protocol === "ssh:") return git(bare(url), refOf(url.hash.slice(1)));
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refuse(`${url.protocol}// is not supported`, "Use https or ssh.");
  if (url.username !== "" || url.password !== "")
    return refuse(
      "the URL holds a user name or a password",
      "Leave them out; --use-git-credentials uses your own credential helper.",
    );
  return (
    parseAzure(url) ??
    parseTree(url) ??
    parseDownload(url) ??
    parseForge(url, options) ?? { kind: "index", url: withoutFragment(url) }
  );
}

/** Azure DevOps: `…/_git/repo?path=/x&version=GBmain`. */
function parseAzure(url: URL): GitSpec | SourceProblem | undefined {
  if (!url.pathname.includes("/_git/")) return undefined;
  const [, kind, ref] = /^(GB|GT|GC)(.+)$/.exec(url.searchParams.get("version") ?? "") ?? [];
  const path = (url.searchParams.get("path") ?? "").replace(/^\/+/, "");
  return git(`${url.origin}${url.pathname}`, { ref: kind === undefined ? undefined : ref, path });
}

/** GitHub's `/tree/…` and `/blob/…`, and GitLab's `/-/tree/…` on any host. */
function parseTree(url: URL): GitSpec | SourceProblem | undefined {
  const [, repo, rest] = /^(\/.+?)(?:\/-)\/(?:tree|blob)\/(.+)$/.exec(url.pathname) ?? [];
  const [, project, below] = /^(\/[^/]+\/[^/]+)\/(?:tree|blob|src)\/(.+)$/.exec(url.pathname) ?? [];
  const at = repo ?? project;
  const tail = decode(rest ?? below)
    ?.replace(/\/+$/, "")
    .replace(/(?:^|\/)SKILL\.md$/i, "");
  if (at === undefined || tail === undefined || tail === "") return undefined;
  const { skill } = refOf(url.hash.slice(1));
  return git(`${url.origin}${at.replace(/\.git$/, "")}.git`, { refAndPath: tail, skill });
}

const DOWNLOAD_HOSTS: ReadonlySet<string> = new Set([
  "raw.githubusercontent.com",
  "codeload.github.com",
  "objects.githubusercontent.com",
]);
const DOWNLOAD_PATH = /\/(?:archive|releases\/download|-\/raw|-\/archive|raw|zipball|tarball)\//;
const DOWNLOAD_NAME = /(?:\.zip|\.skill|\.tar|\.tar\.gz|\.tgz|\/SKILL\.md)$/i;

function parseDownload(url: URL): WebSpec | undefined {
  const isDownload =
    DOWNLOAD_HOSTS.has(url.hostname) || DOWNLOAD_PATH.test(url.pathname) || DOWNLOAD_NAME.test(url.pathname);
  return isDownload ? { kind: "download", url: withoutFragment(url) } : undefined;
}

const FORGES: ReadonlySet<string> = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

/** Any `….git`, and the project pages of the forges. */
function parseForge(url: URL, { githubHost }: GrammarOptions): GitSpec | SourceProblem | undefined {
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith(".git")) return git(`${url.origin}${path}`, refOf(url.hash.slice(1)));
  const isForge = FORGES.has(url.hostname) || url.hostname === githubHost;
  if (!isForge || path.split("/").length < 3) return undefined;
  return git(`${url.origin}${path}.git`, refOf(url.hash.slice(1)));
}

/** `@owner/slug` is ClawHub's; a scope of npm needs its prefix. */
function parseScoped(text: string): ClawhubSpec | SourceProblem | undefined {
  return text.startsWith("@") ? parseClawhub(text) : undefined;
}

function parseClawhub(text: string): ClawhubSpec | SourceProblem {
  const [, owner, slug, version] =
    /^(?:@([a-z0-9][\w.-]{0,63})\/)?([a-z0-9][a-z0-9-]{0,127})(?:@([\w.+-]{1,64}))?$/i.exec(text) ?? [];
  if (slug === undefined) return refuse("clawhub: takes @owner/slug, with @version after it if you like");
  return {
    kind: "clawhub",
    slug,
    ...(owner === undefined ? {} : { owner }),
    ...(version === undefined ? {} : { version }),
  };
}

function parseSkillsSh(text: string): SkillsShSpec | SourceProblem {
  const [, owner, repo, slug] = new RegExp(`^(${NAME})/(${NAME})/(${NAME})$`).exec(text) ?? [];
  if (owner === undefined || repo === undefined || slug === undefined)
    return refuse("skills-sh: takes owner/repo/slug");
  return { kind: "skills-sh", owner, repo, slug };
}

function parseNpm(text: string): NpmSpec | SourceProblem {
  const [, name, range] =
    /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@([\w .~^<>=|*+-]{1,128}))?$/.exec(text) ??
    [];
  if (name === undefined || name.length > 214) return refuse("npm: takes a package name and a version range");
  return { kind: "npm", name, ...(range === undefined ? {} : { range }) };
}

function parseOci(text: string): OciSpec | SourceProblem {
  const [, host, repository, tag, digest] =
    /^([\w.-]+(?::\d{1,5})?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(
      text,
    ) ?? [];
  if (host === undefined || repository === undefined)
    return refuse("oci:// takes host/repository:tag or host/repository@sha256:…");
  return {
    kind: "oci",
    host,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

function parseMarketplace(text: string, options: GrammarOptions): MarketplaceSpec | SourceProblem {
  const at = text.lastIndexOf("#");
  const [from, plugin] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const source = parseSource(from, options);
  if ("problem" in source) return source;
  if (source.kind !== "local" && source.kind !== "git")
    return refuse("a marketplace is a folder or a git repository");
  return { kind: "marketplace", source, ...(plugin === undefined || plugin === "" ? {} : { plugin }) };
}

function parseGateway(text: string): GatewaySpec | SourceProblem {
  const [, url, id, revision] =
    /^(https?:\/\/.+)\/([a-z0-9]+(?:-[a-z0-9]+)*)(?:@([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (url === undefined || id === undefined)
    return refuse("gateway: takes the gateway's URL, a slash and a skill's id");
  return { kind: "gateway", url, id, ...(revision === undefined ? {} : { revision: Number(revision) }) };
}

interface GitParts {
  readonly ref?: string | undefined;
  readonly refAndPath?: string | undefined;
  readonly path?: string | undefined;
  readonly skill?: string | undefined;
}

/** What git takes for a name of a ref, and what no option or range can be made of. */
const REF = /^(?!-)(?!.*\.\.)(?!.*\/\/)[\p{L}\p{N}._/+#@=-]{1,200}$/u;

function git(url: string, { ref, refAndPath, path, skill }: GitParts): GitSpec | SourceProblem {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === "" || parsed.hostname.startsWith("-"))
    return refuse("the repository has no host");
  if (!/^(?:https?|ssh):$/.test(parsed.protocol)) return refuse(`${parsed.protocol}// is not supported`);
  if (parsed.password !== "") return refuse("the URL holds a password", "Leave it out.");
  for (const each of [ref, refAndPath])
    if (each !== undefined && each !== "" && !REF.test(each))
      return refuse(
        `${JSON.stringify(shorten(each))} is no ref`,
        "Write a branch, a tag or a full commit id.",
      );
  if (path?.split("/").some((part) => part === ".." || part.startsWith("-")))
    return refuse("the path leaves the repository");
  return {
    kind: "git",
    url: bare(parsed),
    ...some({ ref, refAndPath, path: path?.replace(/^\/+|\/+$/g, ""), skill }),
  };
}

/** `#ref` and `#ref@skill`. */
function refOf(fragment: string | undefined): GitParts {
  const [ref, skill] = splitOnce(fragment ?? "", "@");
  return { ref: decode(ref), skill: decode(skill) };
}

/** Fields that say something. */
function some(fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, value]],
    ),
  );
}

function bare(url: URL): string {
  const user = url.protocol === "ssh:" && url.username !== "" ? `${url.username}@` : "";
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

function withoutFragment(url: URL): string {
  return `${url.origin}${url.pathname}${url.search}`;
}

function splitOnce(text: string, at: string): readonly [string, string | undefined] {
  const found = text.indexOf(at);
  return found === -1 ? [text, undefined] : [text.slice(0, found), text.slice(found + 1)];
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign is part of the name.
    return text;
  }
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80).toWellFormed()}…`;
}
