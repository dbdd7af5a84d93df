import { FileUp, LayoutList, SearchX, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { lookingAs } from "../../api/looking.ts";
import { useCanPublish } from "../../api/session.tsx";
import { useApi } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useDelayed } from "../../ui/use-delayed.ts";
import { HealthCards } from "./health-card.tsx";
import { SearchField } from "./search-field.tsx";
import { filterRows, isInTab, type Order, orders, type Ranks, readState, tabs } from "./skill-filter.ts";
import { SkillList } from "./skill-list.tsx";
import { AgentFilter, FactSelect, TagSelect } from "./tag-select.tsx";

/** All skills: which there are, which are well, and the switches. */
export function Skills() {
  const [search, setSearch] = useSearchParams();
  const state = readState(search);
  const { data: rows = [], error, isPending, refetch } = useSkills();
  const { ranks, isSearching } = useRanks(state.words);
  const { usable, isReading } = useUsable(state.agent);
  const shown = useMemo(() => filterRows(rows, state, { ...ranks, usable }), [rows, state, ranks, usable]);
  const isUnsure = isSearching || isReading;
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const hrefOf = (tab: string) => {
    const next = new URLSearchParams(search);
    next.set("tab", tab);
    return `/skills?${next}`;
  };
  return (
    <Page
      title="Skills"
      about="Every skill your agents can use, and whether it is ready."
      actions={
        <>
          <TrashLink />
          <PublishLink />
        </>
      }
    >
      <HealthCards rows={rows} chosen={state.health} onChoose={(health) => set("health", health)} />
      <Tabs
        label="Skill types"
        current={state.tab}
        tabs={tabs.map((name) => ({
          name,
          href: hrefOf(name),
          count: isPending ? undefined : rows.filter((row) => isInTab(row, name)).length,
        }))}
      />
      <div className="flex flex-wrap gap-2 px-4 py-3">
        <SearchField words={state.words} onChange={(words) => set("q", words)} />
        <TagSelect rows={rows} tag={state.tag} onChoose={(tag) => set("tag", tag)} />
        {(["owner", "source", "trust", "readiness"] as const).map((name) => (
          <FactSelect
            key={name}
            rows={rows}
            name={name}
            value={state[name]}
            onChoose={(value) => set(name, value)}
          />
        ))}
        <AgentFilter agent={state.agent} onChoose={(agent) => set("agent", agent)} />
        <Select
          aria-label="Sort by"
          value={state.order}
          onChange={({ target }) => set("order", target.value)}
          className="sm:w-auto! max-sm:min-w-[45%] max-sm:flex-1"
        >
          {orders
            .filter((order) => order !== "best" || state.words.trim() !== "")
            .map((order) => (
              <option key={order} value={order}>
                {orderNames[order]}
              </option>
            ))}
        </Select>
      </div>
      <Panel>
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {(isPending || (isUnsure && shown.length === 0)) && <SkeletonRows />}
        {!isPending && error === null && shown.length > 0 && <SkillList rows={shown} ranks={ranks} />}
        {!isPending && !isUnsure && error === null && shown.length === 0 && (
          <NoSkills isEmpty={rows.length === 0} onClear={() => setSearch({})} />
        )}
      </Panel>
    </Page>
  );
}

const orderNames = {
  best: "Best match",
  name: "Name",
  updated: "Updated",
  used: "Most used",
} as const satisfies Record<Order, string>;

/** Scores come from the gateway's own search, some letters after they were typed; uses from the record. */
function useRanks(words: string): { readonly ranks: Ranks; readonly isSearching: boolean } {
  const wanted = words.trim();
  const query = useDelayed(wanted, 150);
  const {
    data,
    isPending,
    error: searchError,
  } = useApi("GET /v1/skills/search", { query: { q: query, limit: "100" } }, { enabled: query !== "" });
  const { data: metrics } = useApi("GET /v1/metrics");
  // Results of earlier words are not shown for these.
  const found = wanted === query && query !== "" ? data : undefined;
  const ranks = useMemo(
    () => ({
      scores: new Map((found?.hits ?? []).map(({ row, hit }) => [row.entry.id as string, hit.score])),
      uses: new Map((metrics?.skills ?? []).map(({ skill, activations }) => [skill, activations])),
    }),
    [found, metrics],
  );
  const isSearching = wanted !== "" && (wanted !== query || (isPending && searchError === null));
  return { ranks, isSearching };
}

/** The skills that an agent can use, as the gateway decides it. */
function useUsable(agent: string | null) {
  const query = { ...lookingAs(agent ?? ""), view: "visible" as const, limit: "1000" };
  const { data, error } = useApi("GET /v1/skills", { query }, { enabled: agent !== null });
  const usable = useMemo(() => {
    if (agent === null) return undefined;
    return new Set((data?.skills ?? []).map(({ entry }) => entry.id as string));
  }, [agent, data]);
  return { usable, isReading: agent !== null && data === undefined && error === null };
}

function TrashLink() {
  if (!useCanPublish()) return null;
  return (
    <LinkButton href="/trash" icon={Trash2}>
      Trash
    </LinkButton>
  );
}

function PublishLink() {
  if (!useCanPublish()) return null;
  return (
    <LinkButton href="/publish" look="primary" icon={FileUp}>
      Publish
    </LinkButton>
  );
}

function NoSkills({ isEmpty, onClear }: { readonly isEmpty: boolean; readonly onClear: () => void }) {
  if (isEmpty)
    return (
      <Empty icon={LayoutList} title="No skills yet" action={<PublishLink />}>
        A skill is a folder with a SKILL.md. Publish one, or start from a template with{" "}
        <code>skillhold init</code>.
      </Empty>
    );
  return (
    <Empty
      icon={SearchX}
      title="No matching skills"
      action={<Button onClick={onClear}>Show all skills</Button>}
    >
      Try other words or clear the filters.
    </Empty>
  );
}
