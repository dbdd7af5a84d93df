import { BookOpen, FileJson, SearchX } from "lucide-react";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { openDocument } from "../settings/open-document.ts";
import { type ApiRoute, routesOf, searchRoutes } from "./api-document.ts";
import { RouteEntry } from "./route-entry.tsx";

/** The routes of this gateway, from its own OpenAPI document. */
export function Reference() {
  const [read, write] = useAddress();
  const { data, error, refetch } = useApi("GET /openapi.json");
  const routes = useMemo(() => routesOf(data), [data]);
  const shown = searchRoutes(routes, read("q"));
  const groups = Map.groupBy(shown, ({ tag }) => tag);
  return (
    <Page
      title="API"
      about="Every route of this gateway. Requests that you try here run with your own session."
      actions={
        <>
          <Button icon={FileJson} onClick={() => void openDocument("/openapi.json").catch(toastFailure)}>
            OpenAPI
          </Button>
          <Button icon={BookOpen} onClick={() => void openDocument("/reference").catch(toastFailure)}>
            Plain page
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-3 px-4 pb-3">
        <Input
          data-search
          type="search"
          aria-label="Search routes"
          placeholder="Search routes"
          value={read("q")}
          onChange={({ target }) => write("q", target.value)}
          className="sm:w-80!"
        />
        <span role="status" className="text-sm text-muted tabular-nums">
          {data === undefined ? "" : count(shown.length, "route")}
        </span>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows />}
      {data !== undefined && shown.length === 0 && (
        <Empty icon={SearchX} title="No matching routes">
          Try other words.
        </Empty>
      )}
      {[...groups].map(([tag, items]) => (
        <Group key={tag} tag={tag} routes={items} />
      ))}
    </Page>
  );
}

function Group({ tag, routes }: { readonly tag: string; readonly routes: readonly ApiRoute[] }) {
  return (
    <Panel title={tag.charAt(0).toUpperCase() + tag.slice(1)}>
      <ul className="divide-y divide-line">
        {routes.map((route) => (
          <li key={route.id}>
            <RouteEntry route={route} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
