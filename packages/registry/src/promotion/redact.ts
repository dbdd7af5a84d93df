/** Values with a known form: keys of vendors, JSON web tokens, private keys and passwords in addresses. */
const KNOWN = [
  /\b(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_|pk_|rk_|xox[abposr]-|npm_|pypi-|hf_|skh_|AIza|AKIA|ASIA)[A-Za-z0-9_-]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}(?=@)/g,
];

/** A value after a name such as `api_key=` or `--password `. */
const NAMED =
  /\b((?:api|access|auth|client|private|secret|bearer)?[_-]?(?:key|token|secret|password|passwd|pwd|credentials?)["']?\s*[:= ]\s*["']?)([^\s"',;]{4,})/gi;

/** A variable such as `$API_KEY` or an input such as `<token>`, which is no value. */
const PLACEHOLDER = /^(?:\$[A-Z_][A-Z0-9_]*|\$\{[A-Z_][A-Z0-9_]*\}|<[a-z][a-z -]*>)[`.)]*$/;

/** A long word of letters and digits: most often a key, seldom a name. */
const LONG = /\b[A-Za-z0-9+/_-]{28,}={0,2}(?![\w./-])/g;

const HIDDEN = "[redacted]";

/** Hides secrets in a text that a model or a log provides. Rather hides too much than too little. */
export function redactSecrets(text: string): string {
  let shown = text;
  for (const pattern of KNOWN) shown = shown.replaceAll(pattern, HIDDEN);
  shown = shown.replaceAll(NAMED, (all, name: string, value: string) =>
    PLACEHOLDER.test(value) ? all : `${name}${HIDDEN}`,
  );
  return shown.replaceAll(LONG, (word) => (isRandom(word) ? HIDDEN : word));
}

/** Letters of both cases with digits, or hexadecimal digits. */
function isRandom(word: string): boolean {
  if (/^[0-9a-f-]+$/i.test(word)) return /\d/.test(word) && /[a-f]/i.test(word);
  return /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word);
}
