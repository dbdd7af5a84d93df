import type { AnyOptions } from "../command.ts";

/** The commands that take `--store`. A test compares this list with the commands. */
export const storeCommands: ReadonlySet<string> = new Set([
  ..."list search read catalog show resource explain watch dev run tools call approve publish versions diff rollback edit delete restore purge export import archive unarchive grant revoke approvers access enable disable serve mcp install outdated update pin remove seed fsck migrate replay doctor".split(
    " ",
  ),
  ..."run triggers optimize".split(" ").map((verb) => `eval ${verb}`),
  ..."scan diff waive rescan".split(" ").map((verb) => `guard ${verb}`),
  ..."apply approve diff import list rebase reject show withdraw"
    .split(" ")
    .map((verb) => `proposal ${verb}`),
  ..."add deliveries list pause redeliver remove resume test".split(" ").map((verb) => `webhook ${verb}`),
  ..."decide draft list show submit".split(" ").map((verb) => `promotion ${verb}`),
  ..."explain".split(" ").map((verb) => `policy ${verb}`),
  ..."set".split(" ").map((verb) => `secret ${verb}`),
  ..."add list show edit remove".split(" ").map((verb) => `agent ${verb}`),
  ..."list accept decline".split(" ").map((verb) => `consent ${verb}`),
  ..."create list revoke sign-in".split(" ").map((verb) => `token ${verb}`),
  ..."list remove".split(" ").map((verb) => `passkey ${verb}`),
  ..."edit".split(" ").map((verb) => `user ${verb}`),
  ..."scan check install".split(" ").map((verb) => `deps ${verb}`),
  ..."list".split(" ").map((verb) => `source ${verb}`),
  ..."install".split(" ").map((verb) => `mcp ${verb}`),
  ..."verify tail export prune keys trust revoke adopt".split(" ").map((verb) => `audit ${verb}`),
  ..."create restore".split(" ").map((verb) => `backup ${verb}`),
]);

export interface HintContext {
  /** The command that starts this program where the user is. */
  readonly command: () => string;
  readonly options: AnyOptions;
}

const COMMAND = /`skillhold ([a-z][^`\n]*)`/g;

/**
 * Rewrites each command line in a text, so that the user can paste it: with the program's name here, and with the data
 * folder or the store of this command.
 */
export function localizeHints(text: string, { command, options }: HintContext): string {
  if (!text.includes("`skillhold ")) return text;
  return text.replace(COMMAND, (_, words: string) => {
    const data = options["data"];
    const prefix = typeof data === "string" && data !== "" ? `SKILLHOLD_DATA=${quotePath(data)} ` : "";
    return `\`${prefix}${command()} ${words}${namesStore(words) ? "" : flagsFor(words, options)}\``;
  });
}

/** A root or a gateway takes the place of the store. */
function namesStore(words: string): boolean {
  return /--(?:(?:no-)?(?:store|gateway)|root)\b/.test(words);
}

function flagsFor(words: string, options: AnyOptions): string {
  const [first = "", second = ""] = words.split(" ");
  if (options["store"] === false) return "";
  return storeCommands.has(first) || storeCommands.has(`${first} ${second}`) ? storeFlags(options) : "";
}

/** The flags that make another command use the same store, each with a space before it. */
export function storeFlags(options: AnyOptions): string {
  const store = options["store"];
  if (store === false) return " --no-store";
  if (typeof store !== "string") return "";
  // The URL of a server may hold a password.
  if (!store.startsWith("sqlite:")) return " --store <url>";
  return ` --store ${/^[\w./~@+:-]+$/.test(store) ? store : JSON.stringify(store)}`;
}

/** A path as one word of a shell command. */
export function quotePath(path: string): string {
  return /^[\w./~@+:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
