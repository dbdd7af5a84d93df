import { hostOf } from "@skillhold/skill/guard";

/** What data is, as bits: where it came from. */
export const Taint = {
  secretPath: 1,
  secretFile: 2,
  secretEnv: 4,
  wholeEnv: 8,
  decoded: 16,
  download: 32,
  /** An object whose methods use the network. */
  session: 64,
  home: 128,
  /** Facts about the machine and its user. */
  system: 256,
  /** The content of a file outside the skill that anyone can write. */
  outsideFile: 512,
  /** It came as an argument of a function of the same text, and may belong to another call. */
  argument: 1024,
} as const;

/** What an expression may be when it runs. */
export interface FlowValue {
  readonly taint: number;
  /** URLs that reach it. */
  readonly urls: readonly string[];
  /** The text, where it is known; `{}` stands for unknown parts. */
  readonly text: string | undefined;
  /** The texts of a list, where they are known. */
  readonly items?: readonly (string | undefined)[] | undefined;
  /** Names of the secret variables that reach it. */
  readonly secrets?: readonly string[] | undefined;
}

export const NOTHING: FlowValue = { taint: 0, urls: [], text: undefined };

const MAX_URLS = 8;
const MAX_TEXT = 4000;

export function textValue(text: string): FlowValue {
  const url = text.length < 2000 && text.includes("://") ? text.trim() : undefined;
  return {
    taint: isSecretPath(text) ? Taint.secretPath : 0,
    urls: url !== undefined && hostOf(url) !== undefined ? [url] : [],
    text: text.slice(0, MAX_TEXT),
  };
}

export function join(values: readonly FlowValue[]): FlowValue {
  if (values.length === 1) return { ...NOTHING, ...values[0] };
  let taint = 0;
  const urls = new Set<string>();
  const secrets = new Set<string>();
  for (const value of values) {
    taint |= value.taint;
    for (const url of value.urls) if (urls.size < MAX_URLS) urls.add(url);
    for (const name of value.secrets ?? []) if (secrets.size < MAX_URLS) secrets.add(name);
  }
  return { taint, urls: [...urls], text: undefined, secrets: secrets.size === 0 ? undefined : [...secrets] };
}

/** Texts one after the other. Unknown parts become `{}` as long as one part is known. */
export function concat(values: readonly FlowValue[], separator = ""): FlowValue {
  const joined = join(values);
  if (values.every(({ text }) => text === undefined)) return { ...joined, text: undefined };
  const text = values.map((value) => value.text ?? "{}").join(separator);
  const whole = textValue(text);
  return {
    taint: joined.taint | whole.taint,
    urls: whole.urls.length > 0 ? whole.urls : joined.urls,
    text: whole.text,
    secrets: joined.secrets,
  };
}

export function withTaint(value: FlowValue, add: number, remove = 0): FlowValue {
  return { ...value, taint: (value.taint & ~remove) | add };
}

export function sameValue(a: FlowValue, b: FlowValue): boolean {
  return (
    a.taint === b.taint &&
    a.text === b.text &&
    a.urls.length === b.urls.length &&
    a.secrets?.length === b.secrets?.length
  );
}

const SECRET_PATH =
  /(?:^|[/~\\])\.(?:ssh(?:\/(?!known_hosts|config\b)|$)|aws\/(?:credentials|$)|aws$|gnupg|netrc|kube\/config|docker\/config\.json|git-credentials|config\/gcloud|config\/solana|config\/gh\/hosts|azure\/|password-store|electrum|bitcoin|ethereum|mozilla\/firefox|openclaw\/openclaw\.json|claude\/\.credentials)|\bid_(?:rsa|ed25519|ecdsa|dsa|\*)(?!\.pub)|\/etc\/shadow\b|wallet\.dat\b|\bLogin Data\b|\bLocal State\b|\bkey4\.db\b|\blogins\.json\b|\bCookies\b.{0,20}\b(?:Chrome|Default)|(?:Chrome|Brave|Edge|Chromium)[^\n]{0,60}\b(?:Cookies|Login Data)\b|Keychains?\/login|login\.keychain|\bkeystore\/UTC--|nkbihfbeogaeaoehlefnkodbefgpgknn|Exodus\/exodus\.wallet/;

/** Whether a path names keys, credentials, wallets or browser stores. */
export function isSecretPath(text: string): boolean {
  return text.length < 500 && SECRET_PATH.test(text) && !/\s{2}|[<>]|\.pub$/.test(text);
}

/** Variables that usually hold secrets. */
export function isSecretName(name: string): boolean {
  return /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE_KEY|MNEMONIC|SEED_PHRASE)(?:_|$)/i.test(
    name,
  );
}

/** Words of the hosts that a variable of a known service belongs to. */
const SERVICES: readonly (readonly [RegExp, RegExp])[] = [
  [/^AWS_/, /amazonaws|aws/],
  [/^(?:GITHUB|GH)_(?:TOKEN|PAT)|^GITHUB_/, /github/],
  [/^(?:NPM_TOKEN|NODE_AUTH_TOKEN)$/, /npm/],
  [/^SLACK_/, /slack/],
  [/^(?:GCP|GOOGLE_APPLICATION|GCLOUD)_/, /google/],
  [/^STRIPE_/, /stripe/],
  [/^SENDGRID_/, /sendgrid/],
  [/^TWILIO_/, /twilio/],
  [/^(?:SSH_|GPG_)\w*KEY/, /^$/],
  [/^(?:DATABASE_URL|DB_PASSWORD|POSTGRES_PASSWORD|MYSQL_ROOT_PASSWORD|REDIS_PASSWORD)$/, /^$/],
  [/^(?:HF_TOKEN|HUGGING_?FACE)/, /huggingface|hf\.co/],
  [/^(?:DOCKER|DOCKERHUB)_(?:PASSWORD|TOKEN|AUTH)/, /docker/],
  [/^(?:PYPI|TWINE)_/, /pypi/],
  [/^(?:AZURE)_\w*(?:SECRET|KEY)/, /azure|microsoft|windows\.net/],
  [/^KUBE(?:CONFIG|_TOKEN)/, /^$/],
  [
    /^(?:OPENAI)_API_KEY$/,
    /openai|azure|openrouter|litellm|together|groq|deepseek|mistral|fireworks|api|llm|ai\b/,
  ],
  [/^(?:ANTHROPIC)_API_KEY$/, /anthropic|claude|openrouter|litellm|api|llm|ai\b/],
];

/** Whether a variable of a known service goes to a host that is not of that service. */
export function isForeign(name: string, host: string): boolean {
  const service = SERVICES.find(([pattern]) => pattern.test(name));
  return service !== undefined && !service[1].test(host);
}

/** Two values of one name: a text stays only where both agree. */
export function merge(a: FlowValue, b: FlowValue): FlowValue {
  const text = a.text === b.text || b.text === undefined ? a.text : a.text === undefined ? b.text : undefined;
  const items =
    a.items === undefined
      ? b.items
      : b.items === undefined || a.items.length === b.items.length
        ? a.items
        : undefined;
  return { ...join([a, b]), text, items };
}

/** The content of a file at a path, without a report. */
export function readSilently(path: FlowValue): FlowValue {
  const isSecret = path.taint & Taint.secretPath;
  return {
    ...withTaint(path, isSecret ? Taint.secretFile : 0, Taint.secretPath | Taint.home),
    text: undefined,
  };
}
