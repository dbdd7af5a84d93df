/** What a user names to install from, before anything is asked of a network or a disk. */
export type SourceSpec =
  | LocalSpec
  | GitSpec
  | WebSpec
  | ClawhubSpec
  | SkillsShSpec
  | NpmSpec
  | OciSpec
  | MarketplaceSpec
  | GatewaySpec;

/** A folder, or an archive by its first bytes. */
export interface LocalSpec {
  readonly kind: "local";
  readonly path: string;
}

export interface GitSpec {
  readonly kind: "git";
  readonly url: string;
  readonly ref?: string;
  /** A ref and a path in one, as in `/tree/<ref>/<path>`: only the list of refs says where the ref ends. */
  readonly refAndPath?: string;
  readonly path?: string;
  readonly skill?: string;
}

/** `index` looks for a discovery index first; `download` is a file. */
export interface WebSpec {
  readonly kind: "index" | "download";
  readonly url: string;
}

export interface ClawhubSpec {
  readonly kind: "clawhub";
  readonly slug: string;
  readonly owner?: string;
  readonly version?: string;
}

export interface SkillsShSpec {
  readonly kind: "skills-sh";
  readonly owner: string;
  readonly repo: string;
  readonly slug: string;
}

export interface NpmSpec {
  readonly kind: "npm";
  readonly name: string;
  readonly range?: string;
}

export interface OciSpec {
  readonly kind: "oci";
  /** With its port. */
  readonly host: string;
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

export interface MarketplaceSpec {
  readonly kind: "marketplace";
  readonly source: LocalSpec | GitSpec;
  readonly plugin?: string;
}

export interface GatewaySpec {
  readonly kind: "gateway";
  readonly url: string;
  readonly id: string;
  readonly revision?: number;
}

/** The text that `parseSource` reads back to the same place, for records; undefined for what only this machine has. */
export function formatSource(spec: SourceSpec): string | undefined {
  switch (spec.kind) {
    case "local":
      return undefined;
    case "git": {
      const ref = encodeURIComponent(spec.ref ?? "").replaceAll("%2F", "/");
      const path = encodeURI(spec.path ?? "").replaceAll("#", "%23");
      const fragment = path === "" ? ref : `${ref}:${path}`;
      return `git+${spec.url}${fragment === "" ? "" : `#${fragment}`}`;
    }
    case "index":
    case "download":
      return spec.url;
    case "clawhub": {
      const owner = spec.owner === undefined ? "" : `@${spec.owner}/`;
      return `clawhub:${owner}${spec.slug}`;
    }
    case "skills-sh":
      return `skills-sh:${spec.owner}/${spec.repo}/${spec.slug}`;
    case "npm":
      return `npm:${spec.name}${spec.range === undefined ? "" : `@${spec.range}`}`;
    case "oci":
      return `oci://${spec.host}/${spec.repository}${spec.tag === undefined ? "" : `:${spec.tag}`}`;
    case "marketplace": {
      const from = formatSource(spec.source);
      return from === undefined ? undefined : `marketplace:${from}#${spec.plugin ?? ""}`;
    }
    case "gateway":
      return `gateway:${spec.url}/${spec.id}`;
  }
}
