/** Something to install, by whom. Only `readSpec` makes one, so that its words are safe on a command line. */
export interface InstallSpec {
  readonly manager: Manager;
  readonly name: string;
  readonly version?: string;
  /** As it is shown, and as `readSpec` reads it back. */
  readonly text: string;
}

/** `system` is a program by its name, whatever package brings it; `download` is a step for a person. */
export type Manager = "pip" | "npm" | "go" | "brew" | "apt" | "apk" | "system" | "download";

/** A spec, or a sentence on why the text is none: specs come out of skills, and bad ones are data. */
export function readSpec(text: string): InstallSpec | string {
  if (text.length > MAX_TEXT) return `${quote(text)} is too long to be a package.`;
  const [, prefix, rest = text] = /^([A-Za-z]+):(.*)$/s.exec(text) ?? [];
  const manager = prefix === undefined ? "system" : PREFIXES.get(prefix.toLowerCase());
  if (manager === undefined) return `${quote(text)} names no package manager that is known.`;
  const [, name, version] = grammars[manager].exec(rest) ?? [];
  if (name === undefined || (manager !== "download" && LOOKS_LIKE_FILE.test(rest))) {
    return `${quote(text)} is no package: ${FORMS[manager]}.`;
  }
  const isPinned = version !== undefined && version !== "latest";
  const spec = { manager, name, ...(isPinned ? { version } : {}) };
  return { ...spec, text: manager === "system" ? name : `${manager}:${wordOf(spec)}` };
}

/** The one word by which a package manager is told what to install. */
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
 * The whole of what each manager is given. No form has room for a URL, a path, a git or alias spec, a range, an
 * option, a space, or the marks by which apt and apk are told to remove something.
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

/** Managers take a word with such an ending for a file that lies in their folder. */
const LOOKS_LIKE_FILE = /\.(?:whl|zip|tgz|tar|tar\.[a-z0-9]+|egg|apk|deb|rb)$/i;

const FORMS: Readonly<Record<Manager, string>> = {
  pip: "a distribution is written as name or name==version",
  npm: "a package is written as name or name@1.2.3, with or without @scope/",
  go: "a module is written as its path, or path@v1.2.3",
  brew: "a formula is written as its name, or user/tap/name",
  apt: "a package is written as name or name=version",
  apk: "a package is written as name or name=version",
  system: "a program is written as its plain name",
  download: "a download is written as its https address",
};

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
