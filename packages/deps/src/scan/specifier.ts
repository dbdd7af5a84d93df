import { packageOf } from "./package-name.ts";

/** What a specifier of JavaScript asks for. */
export type SpecifierTarget =
  | { readonly kind: "npm"; readonly name: string }
  /** Something only this runtime has, or can load. */
  | { readonly kind: "runtime"; readonly name: string }
  | { readonly kind: "none" };

export function targetOf(specifier: string): SpecifierTarget {
  const scheme = SCHEME.exec(specifier)?.[1]?.toLowerCase();
  if (scheme !== undefined) return schemeTarget(scheme, specifier.slice(scheme.length + 1));
  if (specifier === "bun") return { kind: "runtime", name: "bun" };
  // What follows a question mark is for a bundler: `name/file.wasm?url`.
  const name = packageOf(specifier.split("?", 1)[0] ?? "");
  // Leading dots and slashes, `#imports` and aliases as `@/x`, `~/x` and `~x` are names inside the bundle.
  if (name === undefined || /^@?~/.test(name) || BUILTINS.has(name)) return NONE;
  return { kind: "npm", name };
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const NONE: SpecifierTarget = Object.freeze({ kind: "none" });

function schemeTarget(scheme: string, rest: string): SpecifierTarget {
  switch (scheme) {
    case "npm": {
      const name = packageOf(withoutVersion(rest.replace(/^\//, "")));
      return name === undefined ? NONE : { kind: "npm", name };
    }
    case "node":
      return NONE;
    case "bun":
      return { kind: "runtime", name: "bun" };
    case "jsr":
      return { kind: "runtime", name: "deno" };
    default:
      return NONE;
  }
}

/** `name@1.2/sub` as `name/sub`. */
function withoutVersion(specifier: string): string {
  const at = specifier.indexOf("@", 1);
  if (at === -1) return specifier;
  const slash = specifier.indexOf("/", at);
  return specifier.slice(0, at) + (slash === -1 ? "" : specifier.slice(slash));
}

/** `module.builtinModules` of Node 22 to 24. Those that exist with `node:` alone are packages without it. */
const BUILTINS: ReadonlySet<string> = new Set(
  `_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex _stream_passthrough
  _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap assert async_hooks buffer
  child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector
  module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls
  trace_events tty url util v8 vm wasi worker_threads zlib`.split(/\s+/),
);
