/**
 * Options with which a granted program runs another one or writes to a chosen file. They are rejected after a prefix
 * unless the pattern spells them. These are the known cases of argument injection; there may be others.
 */
export interface EscapeRow {
  /** Programs, or a program and its subcommand. */
  readonly names: readonly string[];
  /** Without dashes. Abbreviations are rejected too. */
  readonly long?: string;
  /** Letters, rejected in any group of short options. */
  readonly short?: string;
  /** Whole words. */
  readonly words?: string;
  /** Word prefixes, in any letter case. */
  readonly begins?: string;
  /** Substrings of words, in any letter case. */
  readonly inside?: string;
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
    // A format may be a file with code.
    inside: ".lua",
  },
  { names: ["tcpdump"], short: "zwZ" },
  { names: ["nmap"], long: "script datadir servicedb", words: "-oN -oX -oG -oA -oS -sC -A" },
  {
    names: ["openssl"],
    words: "-engine -provider -provider-path -config -out -keyout -writerand -pre -post",
    long: "engine provider provider-path config out keyout writerand pre post",
  },
  {
    names: ["gpg", "gpg2"],
    long: "agent-program dirmngr-program keyboxd-program photo-viewer exec-path load-extension options homedir output log-file logger-file attribute-file status-file",
    short: "o",
  },
  // Readers and writers of these names run programs or scripts, and a name may be a pipe.
  {
    names: [
      "convert",
      "magick",
      "mogrify",
      "identify",
      "composite",
      "montage",
      "compare",
      "import",
      "animate",
    ],
    words: "-process -script",
    begins: "@",
    inside: "| msl: mvg: ephemeral: show: win: :@",
  },
  {
    names: ["ffmpeg", "ffprobe", "ffplay"],
    words: "-pre",
    begins:
      "-/ -fpre -vpre -apre -spre -pre: -dump_attachment -progress -vstats_file -passlogfile -sdp_file -report -filter_script -filter_complex_script",
    // Filters that load a library.
    inside: "ladspa= lv2= frei0r",
  },
  { names: ["soffice", "libreoffice"], begins: "-env: -accept --accept", inside: "macro: vnd.sun.star" },
  {
    names: ["yt-dlp", "youtube-dl"],
    long: "exec exec-before-download downloader external-downloader downloader-args postprocessor-args use-postprocessor config-locations plugin-dirs ffmpeg-location netrc-cmd output paths batch-file cache-dir cookies print-to-file load-info-json",
    short: "oPa",
  },
  {
    names: ["aria2c"],
    long: "conf-path dir out input-file log save-session save-cookies netrc-path",
    short: "dil",
    begins: "--on- -o",
  },
  {
    names: ["svn"],
    long: "config-option config-dir diff-cmd diff3-cmd editor-cmd",
  },
  { names: ["bat", "batcat", "ag"], long: "pager" },
  { names: ["sdiff", "diff3"], long: "diff-program output", short: "o" },
  { names: ["shuf", "gshuf", "iconv", "xsltproc", "xmllint"], long: "output", short: "o" },
  { names: ["iptables", "ip6tables", "ebtables", "arptables"], long: "modprobe", short: "M" },
  { names: ["tshark", "dumpcap"], short: "wX" },
  {
    names: ["yq"],
    long: "split-exp split-exp-file from-file inplace security-enable-system-operator",
    short: "si",
  },
  {
    names: ["tsc"],
    begins:
      "--outdir -outdir --outfile -outfile --declarationdir -declarationdir --tsbuildinfofile -tsbuildinfofile --generate",
  },
  // As parts of bash they evaluate the name of a variable, and commands in it.
  { names: ["printf", "test"], words: "-v -R" },
];
