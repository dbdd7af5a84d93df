import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Input } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useAddress } from "../../ui/use-address.ts";
import type { CatalogueBlockProps } from "./catalogue-block.tsx";

type Explanation = Answer<"GET /v1/explain">["explanations"][number];
const states: Readonly<Record<Explanation["state"], Tone>> = {
  visible: "good",
  hidden: "neutral",
  shadowed: "warn",
  invalid: "bad",
};

const MOST = 200;

/** Why each skill is or is not there. */
export function Reasons({ looking }: Pick<CatalogueBlockProps, "looking">) {
  const [read, write] = useAddress();
  const { data, error, isPending, refetch } = useApi(
    "GET /v1/explain",
    { query: { ...looking } },
    { keep: true, enabled: looking !== undefined },
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (isPending) return <SkeletonRows count={3} />;
  const all = data.explanations;
  const words = read("why").trim().toLowerCase();
  const fitting = all.filter(
    ({ id, state, message }) =>
      (read("state") === "" || state === read("state")) &&
      (words === "" || `${id} ${message}`.toLowerCase().includes(words)),
  );
  return (
    <Panel title="Why each skill is in or out">
      <div className="flex flex-wrap items-center gap-2 px-4 py-3">
        <Input
          type="search"
          data-search
          aria-label="Filter by name or reason"
          placeholder="Filter by name or reason"
          value={read("why")}
          onChange={({ target }) => write("why", target.value)}
          className="min-w-48 flex-1 sm:max-w-64"
        />
        {Object.entries(states).map(([state, tone]) => {
          const isOn = read("state") === state;
          return (
            <button
              key={state}
              type="button"
              aria-pressed={isOn}
              onClick={() => write("state", isOn ? "" : state)}
              className={classNames("rounded-md border p-0.5", isOn ? "border-accent" : "border-transparent")}
            >
              <Badge tone={tone}>
                {all.filter((each) => each.state === state).length} {state}
              </Badge>
            </button>
          );
        })}
      </div>
      {fitting.length === 0 ? (
        <p className="px-4 pb-4 text-sm text-muted">
          {all.length === 0 ? "No skills yet." : "No skill matches this filter."}
        </p>
      ) : (
        <Table
          label="Reasons"
          columns={columns}
          rows={fitting.slice(0, MOST)}
          keyOf={({ id, path, source }) => `${source} ${path} ${id}`}
        />
      )}
      {fitting.length > MOST && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">
          {fitting.length - MOST} more. Filter to narrow the list.
        </p>
      )}
    </Panel>
  );
}

const columns: readonly Column<Explanation>[] = [
  {
    title: "Skill",
    show: ({ id, state }) =>
      state === "invalid" ? (
        <span className="font-medium whitespace-nowrap">{id}</span>
      ) : (
        <Link href={`/skills/${id}`} className="font-medium whitespace-nowrap hover:underline">
          {id}
        </Link>
      ),
  },
  { title: "State", show: ({ state }) => <Badge tone={states[state]}>{state}</Badge> },
  { title: "Reason", show: ({ message, warnings }) => <Because lines={[message, ...warnings]} /> },
  {
    title: "Source",
    isMinor: true,
    show: ({ source }) => <span className="font-mono text-xs">{source}</span>,
  },
];

function Because({ lines: [first, ...rest] }: { readonly lines: readonly string[] }) {
  return (
    <div className="min-w-48">
      {first}
      {rest.map((line) => (
        <p key={line} className="text-xs text-warn">
          {line}
        </p>
      ))}
    </div>
  );
}
