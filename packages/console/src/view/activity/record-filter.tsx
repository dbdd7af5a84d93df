import { X } from "lucide-react";
import { useId } from "react";
import { useSearchParams } from "wouter";
import { useSkills } from "../../api/use-skills.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { eventGroups, isEventGroup } from "./event-group.ts";

/** The filter of the record, stored in the address. */
export function RecordFilters() {
  const [read, write] = useAddress();
  const [search, setSearch] = useSearchParams();
  const { data: rows = [] } = useSkills();
  const skills = useId();
  const isFiltered = ["skill", "session", "kind"].some((name) => search.has(name));
  return (
    <Panel>
      <div className="grid items-end gap-3 p-4 sm:flex sm:*:flex-1">
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
        <Field label="Skill">
          <Input
            data-search
            type="search"
            list={skills}
            placeholder="Any"
            value={read("skill")}
            onChange={({ target }) => write("skill", target.value)}
          />
        </Field>
        <Field label="Session">
          <Input
            type="search"
            placeholder="Any"
            spellCheck={false}
            value={read("session")}
            onChange={({ target }) => write("session", target.value)}
          />
        </Field>
        {isFiltered && (
          <Button
            icon={X}
            look="quiet"
            className="sm:flex-none!"
            onClick={() => setSearch({}, { replace: true })}
          >
            Clear
          </Button>
        )}
      </div>
      <datalist id={skills}>
        {rows.map(({ entry }) => (
          <option key={entry.id} value={entry.id} />
        ))}
      </datalist>
    </Panel>
  );
}
