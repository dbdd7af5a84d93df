import { Grid3x3, SearchX } from "lucide-react";
import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { MapMatrix } from "./map-matrix.tsx";
import { MapTable } from "./map-table.tsx";
import { isRelation, mapOf, relations } from "./skill-map.ts";

/** Which agents may use which skills, and which they used. */
export function RelationMap() {
  const [read, write] = useAddress();
  const after = read("after");
  const { data, error, refetch } = useApi(
    "GET /v1/map",
    { query: after === "" ? {} : { after } },
    { keep: true },
  );
  const [words, agent, view] = [read("q"), read("agent"), read("view")];
  const chosen = read("show");
  const relation = isRelation(chosen) ? chosen : "all";
  const map = useMemo(
    () => (data === undefined ? undefined : mapOf(data, { words, agent, relation })),
    [data, words, agent, relation],
  );
  const isTable = view === "table";
  const [, setSearch] = useSearchParams();
  /** The chosen agent is on one page only. */
  const goTo = (start: string) =>
    setSearch((before) => {
      const params = new URLSearchParams(before);
      params.delete("agent");
      if (start === "") params.delete("after");
      else params.set("after", start);
      return params;
    });
  return (
    <Page
      title="Map"
      about="Which agents may use which skills, and which they used."
      actions={
        <Button aria-pressed={isTable} onClick={() => write("view", isTable ? "" : "table")}>
          {isTable ? "Show as matrix" : "Show as table"}
        </Button>
      }
    >
      <Panel>
        <div className="grid gap-3 p-4 sm:grid-cols-3">
          <Field label="Skill">
            <Input
              data-search
              type="search"
              placeholder="Any"
              value={words}
              onChange={({ target }) => write("q", target.value)}
            />
          </Field>
          <Field label="Agent">
            <Select value={agent} onChange={({ target }) => write("agent", target.value)}>
              <option value="">All agents</option>
              {data?.agents.map(({ key, displayName }) => (
                <option key={key} value={key}>
                  {displayName === key ? key : `${displayName} (${key})`}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="Show">
            <Select value={relation} onChange={({ target }) => write("show", target.value)}>
              {Object.entries(relations).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </Select>
          </Field>
        </div>
      </Panel>
      <Panel>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {error === null && map === undefined && <SkeletonRows />}
        {data !== undefined && data.agents.length === 0 && (
          <Empty icon={Grid3x3} title="No agents yet">
            Create an agent to see which skills it may use.
          </Empty>
        )}
        {data !== undefined && data.agents.length > 0 && map?.rows.length === 0 && (
          <Empty icon={SearchX} title="No matching pairs">
            Clear a filter to see more.
          </Empty>
        )}
        {map !== undefined && map.agents.length > 0 && map.rows.length > 0 && (
          <>
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-2">
              <p role="status" className="text-xs text-muted">
                {count(map.rows.length, "skill")}, {count(map.agents.length, "agent")}. Uses are of the last{" "}
                {data?.days} days.
              </p>
              {(after !== "" || data?.next !== undefined) && (
                <AgentPages next={data?.next} hasBefore={after !== ""} onGo={goTo} />
              )}
            </div>
            {isTable ? (
              <MapTable map={map} relation={relation} />
            ) : (
              <MapMatrix map={map} relation={relation} />
            )}
          </>
        )}
      </Panel>
    </Page>
  );
}

interface AgentPagesProps {
  readonly next: string | undefined;
  readonly hasBefore: boolean;
  readonly onGo: (after: string) => void;
}

/** A gateway with more agents than one map shows has several maps. */
function AgentPages({ next, hasBefore, onGo }: AgentPagesProps) {
  return (
    <span className="flex items-center gap-2 text-xs text-muted">
      One map shows 100 agents.
      {hasBefore && <Button onClick={() => onGo("")}>First agents</Button>}
      {next !== undefined && <Button onClick={() => onGo(next)}>Next agents</Button>}
    </span>
  );
}
