import { useApi } from "../../api/use-api.ts";
import { Badge, Dot } from "../../ui/badge.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";

/** Which interpreters and package tools the gateway's machine has. */
export function RuntimePanel() {
  const { data, error, isPending, refetch } = useApi("GET /v1/skills/runtimes");
  return (
    <Panel title="Runtimes">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={2} />}
      <ul className="-mb-px grid sm:grid-cols-2 lg:grid-cols-3">
        {data?.runtimes.map(({ name, available, version, required, path }) => (
          <li
            key={name}
            className="flex items-center gap-2.5 border-b border-line px-4 py-2.5 text-sm"
            title={path}
          >
            <Dot tone={available ? "good" : required ? "bad" : "neutral"} />
            <span className="font-medium">{name}</span>
            {!available && required && <Badge tone="bad">required</Badge>}
            <span className="ml-auto truncate font-mono text-xs text-muted">
              {available ? (version ?? "found") : "not found"}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
