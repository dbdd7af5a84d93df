import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useSearchParams } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { given, useAddress } from "../../ui/use-address.ts";
import { useDelayed } from "../../ui/use-delayed.ts";
import { eventGroups, isEventGroup, typesOf } from "./event-group.ts";
import type { RecordFilter } from "./use-record.ts";

const TYPING_MS = 250;
const typed = ["skill", "session", "agent", "person"] as const;
const names = [...typed, "kind", "from", "to"] as const;

/** The filter that the address states, as the record is asked for it. */
export function useRecordFilter(): RecordFilter {
  const [read] = useAddress();
  const texts = given(Object.fromEntries(typed.map((name) => [name, read(name).trim()])));
  const written = useDelayed(JSON.stringify(texts), TYPING_MS);
  const kind = read("kind");
  return {
    // As it was written a line above.
    ...(JSON.parse(written) as RecordFilter),
    ...given({ from: dayStart(read("from"), 0), to: dayStart(read("to"), 1) }),
    ...(isEventGroup(kind) ? { type: typesOf(kind) } : {}),
  };
}

/** The first moment of a local day, or of one some days later; empty for an invalid day. */
export function dayStart(day: string, later: number): string {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return "";
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return start.toISOString();
}

/** The filter of the record, stored in the address. */
export function RecordFilters({ actions }: { readonly actions: ReactNode }) {
  const [read, write] = useAddress();
  const [search, setSearch] = useSearchParams();
  const isFiltered = names.some((name) => search.has(name));
  return (
    <Panel>
      <div className="grid grid-cols-2 items-end gap-3 p-4 md:grid-cols-4">
        <Field label="Kind">
          <Select
            value={isEventGroup(read("kind")) ? read("kind") : ""}
            onChange={({ target }) => write("kind", target.value)}
          >
            <option value="">All events</option>
            {Object.entries(eventGroups).map(([group, title]) => (
              <option key={group} value={group}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
        <SkillFilter />
        <AgentFilter />
        <PersonFilter />
        <Field label="From">
          <Input type="date" value={read("from")} onChange={({ target }) => write("from", target.value)} />
        </Field>
        <Field label="To">
          <Input type="date" value={read("to")} onChange={({ target }) => write("to", target.value)} />
        </Field>
        <TextFilter name="session" label="Session" options={[]} />
        <div className="flex flex-wrap gap-2">
          {actions}
          {isFiltered && (
            <Button icon={X} look="quiet" onClick={() => setSearch({}, { replace: true })}>
              Clear
            </Button>
          )}
        </div>
      </div>
    </Panel>
  );
}

function SkillFilter() {
  const { data: rows = [] } = useSkills();
  return <TextFilter name="skill" label="Skill" options={rows.map(({ entry }) => entry.id)} />;
}

function AgentFilter() {
  const { data } = useApi("GET /v1/agents");
  return <TextFilter name="agent" label="Agent" options={data?.agents.map(({ key }) => key) ?? []} />;
}

function PersonFilter() {
  const { data } = useApi("GET /v1/users");
  return <TextFilter name="person" label="Person" options={data?.users.map(({ name }) => name) ?? []} />;
}

interface TextFilterProps {
  readonly name: (typeof typed)[number];
  readonly label: string;
  readonly options: readonly string[];
}

function TextFilter({ name, label, options }: TextFilterProps) {
  const [read, write] = useAddress();
  const list = useId();
  return (
    <>
      <Field label={label}>
        <Input
          {...(name === "skill" ? { "data-search": true } : {})}
          type="search"
          list={list}
          placeholder="Any"
          spellCheck={false}
          value={read(name)}
          onChange={({ target }) => write(name, target.value)}
        />
      </Field>
      <datalist id={list} className="hidden">
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </>
  );
}
