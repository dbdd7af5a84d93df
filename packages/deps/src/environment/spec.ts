/**
 * A package and its package manager. Only `readSpec` creates one, so its words are safe on a command line.
 */
export interface InstallSpec {
  readonly manager: Manager;
  readonly name: string;
  readonly version?: string;
  /** The display form, which `readSpec` accepts. */
  readonly text: string;
}

/** `system` is a program name without a known package; `download` is a manual step. */
export type Manager = "pip" | "npm" | "go" | "brew" | "apt" | "apk" | "system" | "download";

/**
 * Parses a spec, or returns a sentence with the reason. Specs come from skills, so an invalid one is data.
 */
export function readSpec(text: string): InstallSpec | string {
  if (text.length > MAX_TEXT) return `${quote(text)} is too long for a package spec.`;
  const [, prefix, rest = text] = /^([A-Za-z]+):(.*)$/s.exec(text) ?? [];
  const manager = prefix === undefined ? "system" : PREFIXES.get(prefix.toLowerCase());
  if (manager === undefined) return `${quote(text)} has an unknown package manager.`;
  const [, name, version] = grammars[manager].exec(rest) ?? [];
  if (name === undefined || (manager !== "download" && LOOKS_LIKE_FILE.test(rest))) {
    return `${quote(text)} is not a package spec: ${FORMS[manager]}.`;
  }
  const isPinned = version !== undefined && version !== "latest";
  const spec = { manager, name, ...(isPinned ? { version } : {}) };
  return { ...spec, text: manager === "system" ? name : `${manager}:${wordOf(spec)}` };
}

/** The command-line word for a package. */
export function wordOf({ manager, name, version }: Omit<InstallSpec, "text">): string {
  switch (manager) {
    case "pip":
      return version === undefined ? name : `${name}==${version}`;
    case "npm":
      return version === undefined ? name : `${name}@${version}`;
    case "go":
      return `${name}@${version ?? "latest"}`;
    case "apt":
    case "apk":
      return version === undefined ? name : `${name}=${version}`;
    case "brew":
    case "system":
    case "download":
      return name;
  }
}

const MAX_TEXT = 512;

const PREFIXES: ReadonlyMap<string, Manager> = new Map<string, Manager>([
  ["pip", "pip"],
  ["uv", "pip"],
  ["npm", "npm"],
  ["node", "npm"],
  ["go", "go"],
  ["brew", "brew"],
  ["apt", "apt"],
  ["apk", "apk"],
  ["system", "system"],
  ["download", "download"],
]);

/**
 * The complete grammar per package manager. No form accepts a URL, path, git spec, alias, range, option or
 * space, nor the suffixes that make apt and apk remove a package.
 */
const grammars: Readonly<Record<Manager, RegExp>> = {
  pip: /^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?)(?:==([0-9][A-Za-z0-9.!+_-]{0,63}))?$/,
  npm: /^((?:@[a-z0-9~][a-z0-9._~-]{0,106}\/)?[A-Za-z0-9~][A-Za-z0-9._~-]{0,106})(?:@(latest|\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?))?$/,
  go: /^([a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9][a-z0-9-]{0,62})+(?:\/[A-Za-z0-9_~][A-Za-z0-9_~-]*(?:\.[A-Za-z0-9_~-]+)*){1,16})(?:@(latest|v\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?))?$/,
  brew: /^((?:[a-z0-9][a-z0-9_-]{0,63}\/[a-z0-9][a-z0-9_-]{0,63}\/)?[a-z0-9][a-z0-9+_.@-]{0,63})$/,
  apt: /^([a-z0-9](?:[a-z0-9+.-]{0,62}[a-z0-9]|(?:[a-z0-9.-]{0,60}[a-z0-9])?\+\+)?)(?:=([0-9][A-Za-z0-9.+:~-]{0,63}))?$/,
  apk: /^([a-z0-9](?:[A-Za-z0-9+_.-]{0,62}[A-Za-z0-9+])?)(?:=([0-9][A-Za-z0-9._-]{0,63}))?$/,
  system: /^([A-Za-z0-9_](?:[A-Za-z0-9+_.-]{0,62}[A-Za-z0-9+_])?)$/,
  download: /^(https:\/\/[!-~]{1,480})$/,
};

/** Package managers treat a word with such an ending as a local file. */
const LOOKS_LIKE_FILE = /\.(?:whl|zip|tgz|tar|tar\.[a-z0-9]+|egg|apk|deb|rb)$/i;

const FORMS: Readonly<Record<Manager, string>> = {
  pip: "use name or name==version",
  npm: "use name or name@1.2.3, optionally with @scope/",
  go: "use path or path@v1.2.3",
  brew: "use name or user/tap/name",
  apt: "use name or name=version",
  apk: "use name or name=version",
  system: "use the plain name of the program",
  download: "use an https URL",
};

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
