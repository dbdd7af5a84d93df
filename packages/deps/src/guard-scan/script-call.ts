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

/** A call of a JavaScript function, with the values that it gets. */
export interface ScriptCall {
  /** With its module: `fs.readFileSync`. */
  readonly name: string;
  /** The last part of the name. */
  readonly method: string;
  readonly isNew: boolean;
  readonly values: readonly FlowValue[];
  /** The value whose method is called. */
  readonly object: FlowValue;
  readonly row: number;
}

/** The result of a call of a known function; undefined for another function. `report` receives its effects. */
export function scriptCallEffect(
  call: ScriptCall,
  report: FlowEffects | undefined,
  env: (name: string) => FlowValue,
): FlowValue | undefined {
  return (
    networkEffect(call, report) ??
    codeEffect(call, report) ??
    fileEffect(call, report, env) ??
    valueEffect(call)
  );
}

/** Requests and lookups. */
function networkEffect(
  { name, method, isNew, values, object, row }: ScriptCall,
  report: FlowEffects | undefined,
): FlowValue | undefined {
  const all = join(values);
  const [first = NOTHING] = values;
  if (NETWORK.test(name) || (object.taint & Taint.session && SENDS.test(method))) {
    const options =
      first.urls.length === 0
        ? join([first, object, ...(/request|^axios$|open$/.test(method) ? values : [])])
        : first;
    const target = hostValue(options, first);
    report?.network(join([...values, withTaint(object, 0, Taint.session)]), row, target);
    return { taint: Taint.download | Taint.session, urls: target.urls, text: undefined };
  }
  if (/^dns\.(?:promises\.)?(?:resolve\w*|lookup)$/.test(name)) {
    report?.lookup(first, row);
    return NOTHING;
  }
  if (isNew && /^(?:XMLHttpRequest|WebSocket|EventSource|ws|net\.Socket|ws\.WebSocket)$/.test(name)) {
    if (name !== "XMLHttpRequest" && name !== "net.Socket") report?.network(all, row, first);
    return { taint: Taint.session, urls: first.urls, text: undefined };
  }
  if (/^axios\.create$/.test(name)) return { taint: Taint.session, urls: all.urls, text: undefined };
  return undefined;
}

/** Evaluated and decoded code, and facts of the machine. */
function codeEffect(
  { name, values, row }: ScriptCall,
  report: FlowEffects | undefined,
): FlowValue | undefined {
  const all = join(values);
  const [first = NOTHING, second = NOTHING] = values;
  if (name === "eval" || name === "Function" || /^vm\.(?:runIn\w+|Script|compileFunction)$/.test(name)) {
    report?.code(all, row);
    return { ...all, text: undefined };
  }
  if (/^(?:setTimeout|setInterval)$/.test(name) && first.text !== undefined) report?.code(all, row);
  const encoding =
    name === "atob" ? "base64" : name === "Buffer.from" && second.text === "base64" ? "base64" : undefined;
  if (encoding !== undefined && first.text !== undefined && !first.text.includes("{}"))
    return withTaint(textValue(Buffer.from(first.text, encoding).toString("latin1")), Taint.decoded);
  if (/^os\.(?:hostname|userInfo|networkInterfaces)$/.test(name))
    return { taint: Taint.system, urls: [], text: undefined };
  if (
    name === "atob" ||
    name === "String.fromCharCode" ||
    /^zlib\.(?:gunzip|inflate|unzip|brotliDecompress)\w*$/.test(name) ||
    /createDecipheriv/.test(name)
  )
    return { ...withTaint(all, Taint.decoded), text: undefined };
  if (name === "Buffer.from")
    return /^(?:base64|base64url|hex)$/.test(second.text ?? "")
      ? { ...withTaint(first, Taint.decoded), text: undefined }
      : { ...first, text: first.text };
  return undefined;
}

/** Processes, files and the environment. */
function fileEffect(
  { name, method, values, row }: ScriptCall,
  report: FlowEffects | undefined,
  env: (name: string) => FlowValue,
): FlowValue | undefined {
  const [first = NOTHING, second = NOTHING] = values;
  if (PROCESS.test(name)) return startProcess(name, values, row, report);
  if (READ.test(name)) return report === undefined ? readSilently(first) : report.read(first, row);
  if (WRITE.test(name)) {
    report?.write(/copyFile|rename|^cp/.test(method) ? second : first, row);
    return NOTHING;
  }
  if (name === "os.homedir") {
    report?.home(row);
    return { taint: Taint.home, urls: [], text: "~" };
  }
  if (/^path\.(?:join|resolve)$/.test(name)) return concat(values, "/");
  if (name === "Deno.env.get") return env(first.text ?? "");
  if (name === "Deno.env.toObject") {
    report?.wholeEnv(row);
    return { taint: Taint.wholeEnv, urls: [], text: undefined };
  }
  return undefined;
}

/** Functions that build or test values. */
function valueEffect({ name, method, isNew, values, object }: ScriptCall): FlowValue | undefined {
  const [first = NOTHING, second = NOTHING] = values;
  if (isNew && name === "URL")
    return join([first, second]).urls.length > 0
      ? { ...join([first, second]), text: first.text }
      : join([first, second]);
  if (method === "join" && object.items !== undefined && object.items.every((item) => item !== undefined))
    return concat(
      object.items.map((item) => textValue(item ?? "")),
      first.text ?? ",",
    );
  if (method === "concat" && object.text !== undefined) return concat([object, ...values]);
  if (method === "reverse" || method === "split")
    return { ...withTaint(object, 0), text: undefined, items: undefined };
  if (
    /^(?:console\.\w+|process\.(?:exit|cwd)|fs\.(?:existsSync|statSync|mkdirSync|chmodSync|unlinkSync|accessSync)|path\.(?:basename|dirname|extname)|crypto\.\w+)$/.test(
      name,
    )
  )
    return NOTHING;
  if (/^(?:includes|startsWith|endsWith|test|indexOf|has)$/.test(method)) return NOTHING;
  return undefined;
}

function startProcess(
  name: string,
  values: readonly FlowValue[],
  row: number,
  report: FlowEffects | undefined,
): FlowValue {
  const [first = NOTHING, second = NOTHING] = values;
  const isShell = /(?:^|\.)(?:exec|execSync|execaCommand|execCommand)$/.test(name);
  if (report !== undefined) {
    if (isShell) report.process(first, row, true);
    else if (first.items !== undefined) report.process(first, row, false);
    else
      report.process(
        { ...join([first, second]), text: first.text, items: [first.text, ...(second.items ?? [])] },
        row,
        false,
      );
  }
  const words = `${first.text} ${second.items?.join(" ")}`;
  const isSecret =
    (first.taint | second.taint) & Taint.secretPath && /\b(?:cat|type|tar|zip|base64|security)\b/.test(words);
  return { taint: isSecret ? Taint.secretFile : 0, urls: [], text: undefined };
}

/** `{ hostname: "x" }` and `connect(443, "x")` name hosts without a URL. */
function hostValue(target: FlowValue, first: FlowValue): FlowValue {
  if (target.urls.length > 0 || first.text === undefined || !/^[\w-]+(?:\.[\w-]+)+$/.test(first.text))
    return target;
  return { ...target, urls: [`https://${first.text}`] };
}

const NETWORK =
  /^(?:fetch|axios|got|ky|request|needle|superagent|undici|\$fetch)$|^(?:axios|got|ky|request|needle|superagent|undici)\.(?:get|post|put|patch|delete|head|request|stream|fetch)$|^https?\.(?:get|request)$|^(?:net|tls)\.(?:connect|createConnection)$|^navigator\.sendBeacon$|^fetch\.default$|^axios\.default\.\w+$/;
const SENDS = /^(?:get|post|put|patch|delete|request|send|write|end|emit|open|connect)$/;
const PROCESS =
  /^(?:child_process|shelljs)\.(?:exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)$|^(?:Bun\.spawn|Bun\.spawnSync|Deno\.(?:Command|run)|execa|execa\.\w+|execaCommand)$|^(?:execSync|spawnSync|execFileSync)$/;
const READ =
  /^(?:fs|fs\.promises|promises|fsp|fs-extra|fse)\.(?:readFile|readFileSync|createReadStream|readdir|readdirSync|readJson\w*)$|^(?:Deno\.read\w+|Bun\.file|readFileSync)$/;
const WRITE =
  /^(?:fs|fs\.promises|promises|fsp|fs-extra|fse)\.(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|rename|renameSync|cp|cpSync|outputFile\w*)$|^(?:Deno\.write\w+|Bun\.write|writeFileSync|appendFileSync)$/;
