import type { FlowEffects } from "./flow-effect.ts";
import {
  concat,
  type FlowValue,
  join,
  NOTHING,
  readSilently,
  Taint,
  textValue,
  withTaint,
} from "./flow-value.ts";

/** A call of a Python function, with the values that it gets. */
export interface PythonCall {
  /** With its module: `os.path.join`. */
  readonly name: string;
  /** The last part of the name. */
  readonly method: string;
  readonly values: readonly FlowValue[];
  /** The value whose method is called. */
  readonly object: FlowValue;
  readonly row: number;
  /** The value of a keyword argument. */
  readonly keyword: (key: string) => FlowValue | undefined;
  /** Whether the call has `shell=True`. */
  readonly isShell: () => boolean;
}

/** The result of a call of a known function; undefined for another function. `report` receives its effects. */
export function pythonCallEffect(call: PythonCall, report: FlowEffects | undefined): FlowValue | undefined {
  return (
    networkEffect(call, report) ?? codeEffect(call, report) ?? fileEffect(call, report) ?? valueEffect(call)
  );
}

/** Requests and lookups. */
function networkEffect(
  { name, method, values, object, row, keyword }: PythonCall,
  report: FlowEffects | undefined,
): FlowValue | undefined {
  const all = join(values);
  const [first = NOTHING] = values;
  if (NETWORK.test(name) || (object.taint & Taint.session && SENDS.test(method)) || SOCKET.test(name)) {
    const target = join([
      keyword("url") ?? keyword("host") ?? (/\.request$/.test(name) ? (values[1] ?? first) : first),
      object,
    ]);
    const whole = name.endsWith("Connection") || SOCKET.test(name) ? hostValue(target, first) : target;
    const sent = join([...values, withTaint(object, 0, Taint.session)]);
    report?.network(sent, row, whole);
    if (/urlretrieve$/.test(name)) report?.downloads(all, row);
    const isConnection = /Connection$|^socket\.|connect$|SMTP|FTP/.test(name);
    return { taint: isConnection ? Taint.session : Taint.download, urls: whole.urls, text: undefined };
  }
  if (SESSION.test(name))
    return { taint: Taint.session, urls: (keyword("base_url") ?? NOTHING).urls, text: undefined };
  return undefined;
}

/** Evaluated and decoded code, and facts of the machine. */
function codeEffect(
  { name, method, values, row }: PythonCall,
  report: FlowEffects | undefined,
): FlowValue | undefined {
  const all = join(values);
  const [first = NOTHING] = values;
  if (EVAL.has(name)) {
    report?.code(all, row);
    return { ...all, text: undefined };
  }
  if (
    /^base64\.(?:standard_|urlsafe_)?b64decode$/.test(name) &&
    first.text !== undefined &&
    !first.text.includes("{}")
  ) {
    const value = textValue(Buffer.from(first.text, "base64").toString("latin1"));
    return withTaint(value, Taint.decoded);
  }
  if (SYSTEM.test(name)) return { taint: Taint.system, urls: [], text: undefined };
  if (/^(?:socket\.(?:gethostbyname|getaddrinfo)|dns\.resolver\.(?:resolve|query))$/.test(name)) {
    report?.lookup(all, row);
    return NOTHING;
  }
  if (DECODE.test(name) || (name === "codecs.decode" && values.length > 1))
    return { ...withTaint(all, Taint.decoded), text: undefined };
  if (name === "chr" || method === "fromhex") return { ...withTaint(all, Taint.decoded), text: undefined };
  return undefined;
}

/** Processes, files and the environment. */
function fileEffect(call: PythonCall, report: FlowEffects | undefined): FlowValue | undefined {
  const { name, method, values, object, row, keyword } = call;
  const [first = NOTHING] = values;
  if (PROCESS.test(name)) return startProcess(call, report);
  if (name === "open" || name === "io.open" || name === "codecs.open" || method === "open") {
    const path =
      name.endsWith("open") && method === "open" && object.taint & Taint.secretPath
        ? object
        : object.text !== undefined && values.length < 2
          ? object
          : first;
    const mode = keyword("mode")?.text ?? (path === object ? first.text : values[1]?.text) ?? "r";
    if (/^[rbtU+]{0,3}$/.test(mode) || !/[wax]/.test(mode))
      return report === undefined ? readSilently(path) : report.read(path, row);
    report?.write(path, row);
    return NOTHING;
  }
  if (READ.test(name) || /^read_(?:text|bytes)$/.test(method)) {
    const path = /^read_/.test(method) ? object : first;
    return report === undefined ? readSilently(path) : report.read(path, row);
  }
  if (/^write_(?:text|bytes)$/.test(method)) {
    report?.write(object, row);
    return NOTHING;
  }
  if (/^shutil\.(?:copy\w*|move)$/.test(name)) {
    report?.write(values[1] ?? NOTHING, row);
    return {
      ...(report === undefined ? readSilently(first) : report.read(first, row)),
      text: values[1]?.text,
    };
  }
  if (name === "os.path.expanduser" || method === "expanduser") {
    report?.home(row);
    return withTaint(name === "os.path.expanduser" ? first : object, Taint.home);
  }
  if (/(?:^|\.)Path\.home$/.test(name)) {
    report?.home(row);
    return { taint: Taint.home, urls: [], text: "~" };
  }
  return undefined;
}

/** Functions that build or test values. */
function valueEffect({ name, method, values, object }: PythonCall): FlowValue | undefined {
  const all = join(values);
  const [first = NOTHING] = values;
  if (/(?:^|\.)(?:Pure)?(?:Posix)?Path$/.test(name) || name === "os.path.join" || method === "joinpath")
    return concat(method === "joinpath" ? [object, ...values] : values, "/");
  if (name === "str" || name === "os.fspath" || /^os\.path\.(?:abspath|realpath|normpath)$/.test(name))
    return first;
  if (/^(?:resolve|absolute|strip|rstrip|lower|upper|encode|decode|as_posix|replace|format)$/.test(method)) {
    const text = object.text === undefined ? undefined : textValue(object.text.replace(/\{\w*\}/g, "{}"));
    return { ...join([object, all, ...(text === undefined ? [] : [text])]), text: text?.text };
  }
  if (method === "join" && object.text !== undefined && first.items?.every((item) => item !== undefined))
    return {
      ...concat(
        first.items.map((item) => textValue(item ?? "")),
        object.text,
      ),
    };
  if (
    /^(?:os\.(?:path\.(?:exists|isfile|isdir|basename|getsize)|stat|chmod|makedirs|mkdir|remove|unlink)|len|print|isinstance|logging\.\w+|logger\.\w+|hash|hashlib\.\w+|exit|sys\.exit)$/.test(
      name,
    ) ||
    /^(?:exists|is_file|is_dir|mkdir|unlink|chmod|hexdigest|startswith|endswith)$/.test(method)
  )
    return NOTHING;
  return undefined;
}

function startProcess(
  { name, values, row, isShell }: PythonCall,
  report: FlowEffects | undefined,
): FlowValue {
  const all = join(values);
  const [first = NOTHING] = values;
  const isInShell = /^os\.(?:system|popen)$|getoutput|subprocess_shell/.test(name) || isShell();
  report?.process(first, row, isInShell);
  const isSecret =
    first.taint & Taint.secretPath ||
    first.items?.some((item) => item !== undefined && textValue(item).taint & Taint.secretPath);
  const kept =
    all.taint & ~(Taint.wholeEnv | Taint.secretEnv | Taint.secretPath | Taint.download | Taint.decoded);
  return {
    taint:
      kept |
      (isSecret &&
      /\b(?:cat|type|tar|zip|base64|head|security)\b/.test(`${first.text} ${first.items?.join(" ")}`)
        ? Taint.secretFile
        : 0),
    urls: [],
    text: undefined,
  };
}

function hostValue(target: FlowValue, first: FlowValue): FlowValue {
  const host = first.text ?? first.items?.[0];
  if (target.urls.length > 0 || host === undefined || !/^[\w-]+(?:\.[\w-]+)+$/.test(host)) return target;
  return { ...target, urls: [`https://${host}`] };
}

const NETWORK =
  /^(?:requests|httpx|grequests|cloudscraper|curl_cffi\.requests|requests_html)\.(?:get|post|put|patch|delete|head|options|request|stream)$|^urllib\.request\.(?:urlopen|urlretrieve)$|^urllib2?\.(?:urlopen|urlretrieve)$|^(?:http\.client|httplib)\.HTTPS?Connection$|^aiohttp\.request$|^websockets?\.(?:connect|create_connection)$|^smtplib\.SMTP(?:_SSL)?$|^ftplib\.FTP$|^wget\.download$/;
const SOCKET = /^socket\.create_connection$|(?:^|\.)(?:sock|s|client|conn|socket)\.connect$/;
const SENDS =
  /^(?:get|post|put|patch|delete|head|request|stream|send|sendall|sendto|sendmail|send_message|urlopen|storbinary|ws_connect|open)$/;
const SESSION =
  /^(?:requests\.(?:Session|session)|httpx\.(?:Client|AsyncClient)|aiohttp\.ClientSession|urllib3\.PoolManager|socket\.socket|cloudscraper\.create_scraper)$/;
const EVAL = new Set([
  "eval",
  "exec",
  "compile",
  "marshal.loads",
  "types.FunctionType",
  "code.interact",
  "code.InteractiveInterpreter().runcode",
]);
const DECODE =
  /^(?:base64\.(?:\w*b(?:64|32|16|85)decode|a85decode|decodebytes)|binascii\.(?:unhexlify|a2b_\w+)|(?:zlib|gzip|bz2|lzma)\.decompress|[\w.]*Fernet\(\)\.decrypt)$/;
const PROCESS =
  /^(?:os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|startfile)|subprocess\.(?:run|call|Popen|check_output|check_call|getoutput|getstatusoutput)|pty\.spawn|asyncio\.create_subprocess_(?:exec|shell)|commands\.getoutput)$/;
const READ =
  /^(?:sqlite3\.connect|os\.open|glob\.i?glob|os\.(?:listdir|walk|scandir)|json\.load|toml\.load|yaml\.safe_load|configparser\.\w+|zipfile\.ZipFile)$/;
const SYSTEM =
  /^(?:platform\.(?:node|uname|platform)|socket\.gethostname|getpass\.getuser|os\.(?:getlogin|uname))$/;
