import { Columns2, ScanSearch, X } from "lucide-react";
import { lookingAs } from "../../api/looking.ts";
import { useAgent } from "../../api/use-agent.ts";
import { useSkills } from "../../api/use-skills.ts";
import { AgentSelect } from "../../ui/agent-select.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty } from "../../ui/state.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { examplesOf } from "./example.ts";
import { HitList } from "./hit-list.tsx";

const limits = ["5", "10", "20", "50", "100"] as const;

/** The search results that an agent would get, with the reasons for their order. */
export function SearchPlayground() {
  const [read, write] = useAddress();
  const agent = useAgent();
  const looking = lookingAs(agent);
  const limit = limits.find((each) => each === read("limit")) ?? "20";
  const isPair = read("pair") !== "";
  return (
    <Page
      title="Search"
      about="Search as an agent would, and see why each skill ranks where it does."
      actions={
        <Button icon={isPair ? X : Columns2} onClick={() => write("pair", isPair ? "" : "yes")}>
          {isPair ? "Single query" : "Compare queries"}
        </Button>
      }
    >
      <Panel>
        <div className="grid gap-3 p-4 sm:grid-cols-2 lg:grid-cols-[minmax(0,1fr)_14rem_7rem]">
          <div className="space-y-3 sm:col-span-2 lg:col-span-1">
            <QueryField name="q" label="Query" isFirst />
            {isPair && <QueryField name="q2" label="Second query" />}
          </div>
          <AgentSelect value={agent} onChange={(chosen) => write("agent", chosen)} />
          <Field label="Limit">
            <Select
              value={limit}
              onChange={({ target }) => write("limit", target.value === "20" ? "" : target.value)}
            >
              {limits.map((each) => (
                <option key={each} value={each}>
                  {each} results
                </option>
              ))}
            </Select>
          </Field>
        </div>
      </Panel>
      {read("q").trim() === "" && <Examples onChoose={(text) => write("q", text)} />}
      <div className={isPair ? "grid items-start lg:grid-cols-2" : undefined}>
        <HitList {...(isPair ? { name: "First" } : {})} words={read("q")} looking={looking} limit={limit} />
        {isPair && <HitList name="Second" words={read("q2")} looking={looking} limit={limit} />}
      </div>
    </Page>
  );
}

function QueryField({
  name,
  label,
  isFirst = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly isFirst?: boolean;
}) {
  const [read, write] = useAddress();
  return (
    <Field label={label}>
      <Input
        {...(isFirst ? { "data-search": true, autoFocus: true } : {})}
        type="search"
        maxLength={1000}
        value={read(name)}
        placeholder="Fill in a PDF form"
        onChange={({ target }) => write(name, target.value)}
      />
    </Field>
  );
}

function Examples({ onChoose }: { readonly onChoose: (text: string) => void }) {
  const { data: rows = [] } = useSkills();
  const examples = examplesOf(rows.map(({ entry }) => entry.description));
  return (
    <Panel>
      <Empty icon={ScanSearch} title="Try a query">
        {examples.length === 0
          ? "There are no skills to search yet."
          : "Some ideas, taken from skill descriptions:"}
        <span className="flex flex-wrap justify-center gap-2 pt-3">
          {examples.map((text) => (
            <button
              key={text}
              type="button"
              onClick={() => onChoose(text)}
              className="max-w-full truncate rounded-full border border-line-strong px-3 py-1 text-sm text-ink hover:bg-raised"
            >
              {text}
            </button>
          ))}
        </span>
      </Empty>
    </Panel>
  );
}
