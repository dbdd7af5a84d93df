/**
 * Options that make a program which is otherwise granted run another one, or write to a file of the caller's choice.
 * They are refused after a prefix unless the pattern itself spells them. These are the known cases of argument
 * injection, not a promise that there are no others.
 */
export interface EscapeRow {
  /** Programs, or a program and its subcommand. */
  readonly names: readonly string[];
  /** Without the dashes. An abbreviation is refused like the whole. */
  readonly long?: string;
  /** Letters, refused in any group of short options. */
  readonly short?: string;
  /** Whole words. */
  readonly words?: string;
}

export const escapeTable: readonly EscapeRow[] = [
  {
    names: ["find"],
    words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from",
  },
  { names: ["fd", "fdfind"], long: "exec exec-batch", short: "xX" },
  {
    names: ["git"],
    long: "output ext-diff exec upload-pack receive-pack open-files-in-pager extcmd config template",
  },
  { names: ["git clone"], short: "cu" },
  { names: ["git grep"], short: "O" },
  // What follows goes to git as its options.
  { names: ["gh repo", "gh gist"], words: "--" },
  { names: ["git apply"], long: "unsafe-paths directory" },
  { names: ["docker", "podman", "nerdctl", "kubectl", "helm"], long: "post-renderer kubeconfig config" },
  { names: ["sort", "gsort"], long: "compress-program output files0-from", short: "o" },
  { names: ["split", "gsplit"], long: "filter" },
  { names: ["rg"], long: "pre hostname-bin" },
  { names: ["tree"], short: "o" },
  {
    names: ["curl"],
    long: "output output-dir remote-name remote-name-all remote-header-name config dump-header cookie-jar trace trace-ascii stderr libcurl engine etag-save hsts alt-svc",
    short: "oOJKDc",
  },
  {
    names: ["wget"],
    long: "use-askpass execute config output-document output-file append-output directory-prefix input-file rejected-log save-cookies warc-file",
    short: "eOoaPi",
  },
  {
    names: ["pandoc"],
    long: "filter lua-filter pdf-engine output extract-media defaults data-dir",
    short: "FLod",
  },
  { names: ["tcpdump"], short: "zwZ" },
  { names: ["nmap"], long: "script datadir servicedb", words: "-oN -oX -oG -oA -oS -sC -A" },
  { names: ["openssl"], words: "-engine -provider -provider-path -config -out -keyout -writerand" },
  // As parts of bash they evaluate the name of a variable, and commands in it.
  { names: ["printf", "test"], words: "-v -R" },
];
