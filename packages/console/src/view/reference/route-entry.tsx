import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { Mono } from "../../ui/text.tsx";
import { useAddress } from "../../ui/use-address.ts";
import type { ApiParam, ApiRoute } from "./api-document.ts";
import { TryRoute } from "./try-route.tsx";

const tones: Readonly<Record<string, Tone>> = { GET: "info", POST: "good", PUT: "warn", DELETE: "bad" };

/** One route; opened, it shows its input and responses, and a form to try it. */
export function RouteEntry({ route }: { readonly route: ApiRoute }) {
  const [read, write] = useAddress();
  const isOpen = read("route") === route.id;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => write("route", isOpen ? "" : route.id)}
        className="grid w-full grid-cols-[auto_4rem_minmax(0,1fr)] items-baseline gap-x-2 px-4 py-2 text-left text-sm hover:bg-raised"
      >
        <ChevronRight
          className={classNames("size-4 self-center text-faint transition-transform", isOpen && "rotate-90")}
          aria-hidden
        />
        <span>
          <Badge tone={tones[route.method] ?? "neutral"}>{route.method}</Badge>
        </span>
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
          <Mono className="break-all">{route.path}</Mono>
          <span className="min-w-0 text-muted">{route.summary}</span>
        </span>
      </button>
      {isOpen && <Details route={route} />}
    </>
  );
}

function Details({ route }: { readonly route: ApiRoute }) {
  const { roles, params, body, responses } = route;
  const [isTrying, setTrying] = useState(false);
  const ok = responses.find(({ schema }) => schema !== undefined);
  return (
    <div className="space-y-4 border-t border-line bg-bg px-4 py-4 text-sm">
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="text-muted">Roles</span>
        {roles === undefined ? <Badge>anyone</Badge> : roles.map((role) => <Badge key={role}>{role}</Badge>)}
      </p>
      {params.length > 0 && <Params params={params} />}
      {body !== undefined && (
        <Part title="Body">
          {body.schema === undefined ? (
            <p>An archive: ZIP or tar.gz.</p>
          ) : (
            <Schema label={`Body of ${route.id}`} schema={body.schema} />
          )}
        </Part>
      )}
      <Part title="Responses">
        <ul className="space-y-1">
          {responses.map(({ status, about }) => (
            <li key={status} className="flex gap-2">
              <Mono className="w-9 shrink-0">{status}</Mono>
              <span className="min-w-0 break-words text-muted">{about}</span>
            </li>
          ))}
        </ul>
        {ok !== undefined && <Schema label={`Response of ${route.id}`} schema={ok.schema} />}
      </Part>
      <div>
        <button
          type="button"
          aria-expanded={isTrying}
          onClick={() => setTrying(!isTrying)}
          className="font-medium text-accent-strong underline underline-offset-2"
        >
          {isTrying ? "Close the form" : "Try it"}
        </button>
        {isTrying && <TryRoute route={route} />}
      </div>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="space-y-1.5">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {children}
    </div>
  );
}

function Params({ params }: { readonly params: readonly ApiParam[] }) {
  return (
    <Part title="Parameters">
      <ul className="space-y-1">
        {params.map(({ name, place, isRequired, schema }) => (
          <li key={`${place} ${name}`} className="min-w-0 break-words">
            <Mono>{name}</Mono> <Badge>{isRequired ? `${place}, required` : place}</Badge>
            <span className="text-muted"> {aboutOf(schema)}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function aboutOf(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "";
  const about = "description" in schema ? schema.description : undefined;
  const values = "enum" in schema && Array.isArray(schema.enum) ? `One of ${schema.enum.join(", ")}.` : "";
  return [typeof about === "string" ? about : "", values].filter((text) => text !== "").join(" ");
}

function Schema({ label, schema }: { readonly label: string; readonly schema: unknown }) {
  return (
    <details>
      <summary className="text-muted">Schema</summary>
      <ScrollText label={label} text={JSON.stringify(schema, null, 2)} className="mt-2 max-h-96" />
    </details>
  );
}
