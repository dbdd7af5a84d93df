import { Send, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { addressOf, csrf } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { fieldsOf, type SchemaField, valuesOf } from "../../ui/schema-field.ts";
import { SchemaForm } from "../../ui/schema-form.tsx";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { Failure } from "../../ui/state.tsx";
import { CopyText } from "../../ui/text.tsx";
import type { ApiParam, ApiRoute } from "./api-document.ts";

interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly ms: number;
}

/** Sends a request with the session of the user. A request that changes something must be confirmed. */
export function TryRoute({ route }: { readonly route: ApiRoute }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState("");
  const [isSure, setSure] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [received, setReceived] = useState<Received>();
  const [error, setError] = useState<Error>();
  const isWrite = route.method !== "GET";
  const schema = schemaOf(route.params);
  if (route.body !== undefined && route.body.schema === undefined)
    return (
      <p className="pt-2 text-muted">The console cannot send archives here. Use Publish, or a program.</p>
    );
  const send = async () => {
    setBusy(true);
    setError(undefined);
    setReceived(undefined);
    try {
      setReceived(await request(route, valuesOf(fieldsOf(schema), texts), body));
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(false);
      setSure(false);
    }
  };
  return (
    <form
      aria-label={`Try ${route.method} ${route.path}`}
      className="mt-3 space-y-3 rounded-lg border border-line bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <SchemaForm schema={schema} texts={texts} onChange={setTexts} />
      {route.body !== undefined && (
        <Field label="Body" note="As JSON.">
          <TextArea
            rows={6}
            spellCheck={false}
            value={body}
            placeholder={exampleOf(fieldsOf(route.body.schema))}
            onChange={({ target }) => setBody(target.value)}
            className="font-mono"
          />
        </Field>
      )}
      {isWrite && (
        <label className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
          <input
            type="checkbox"
            checked={isSure}
            onChange={({ target }) => setSure(target.checked)}
            className="mt-1 size-3.5 accent-(--accent)"
          />
          <span>This request changes this gateway, as you. It is no simulation.</span>
        </label>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" icon={Send} isBusy={isBusy} disabled={isWrite && !isSure}>
          Send
        </Button>
        <CopyText text={curlOf(route, texts, body)} label="as a curl command" />
      </div>
      {error !== undefined && <Failure error={error} isCompact />}
      {received !== undefined && (
        <div role="status" className="space-y-2">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={received.status < 400 ? "good" : "bad"}>{received.status}</Badge>
            <span className="text-muted tabular-nums">
              {received.type}, {received.ms} ms
            </span>
          </p>
          <ScrollText label="Response" text={received.text} className="max-h-128" />
        </div>
      )}
    </form>
  );
}

/** The parameters as one object schema; the browser sends conditional headers by itself. */
function schemaOf(params: readonly ApiParam[]): unknown {
  const sent = params.filter(({ place }) => place !== "header");
  return {
    properties: Object.fromEntries(sent.map(({ name, schema }) => [name, schema])),
    required: sent.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

const MOST_SHOWN = 100_000;

async function request(
  { method, path, params, body: hasBody }: ApiRoute,
  values: Readonly<Record<string, unknown>>,
  body: string,
): Promise<Received> {
  const started = performance.now();
  const isJson = hasBody !== undefined && body.trim() !== "";
  if (isJson) rejectInvalid(body);
  const query = Object.fromEntries(
    params.flatMap(({ name, place }) => (place === "query" ? [[name, values[name]]] : [])),
  );
  const response = await fetch(addressOf(path, values, query), {
    method,
    headers: { "x-skillhold-csrf": csrf.read(), ...(isJson ? { "content-type": "application/json" } : {}) },
    credentials: "same-origin",
    ...(isJson ? { body } : {}),
  });
  const type = response.headers.get("content-type") ?? "no content";
  const text = await response.text();
  const shown = /json/.test(type) ? indented(text) : text;
  const ms = Math.round(performance.now() - started);
  const cut =
    shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}\n… ${shown.length - MOST_SHOWN} more` : shown;
  return { status: response.status, type, text: cut, ms };
}

function rejectInvalid(body: string): void {
  try {
    JSON.parse(body);
  } catch {
    throw new Error("The body must be JSON.");
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Several lines of JSON are no JSON.
    return text;
  }
}

/** The required fields with empty values. */
function exampleOf(fields: readonly SchemaField[]): string {
  const required = fields.filter(({ isRequired }) => isRequired);
  return JSON.stringify(Object.fromEntries(required.map(({ name }) => [name, ""])), null, 2);
}

function curlOf(route: ApiRoute, texts: Readonly<Record<string, string>>, body: string): string {
  const query = Object.fromEntries(
    route.params.flatMap(({ name, place }) => (place === "query" ? [[name, texts[name]]] : [])),
  );
  const address = `${window.location.origin}${addressOf(route.path, texts, query)}`;
  const parts = [
    `curl -X ${route.method}`,
    "-H 'authorization: Bearer <token>'",
    ...(body.trim() === "" ? [] : ["-H 'content-type: application/json'", `-d ${quoted(body.trim())}`]),
    quoted(address),
  ];
  return parts.join(" ");
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
