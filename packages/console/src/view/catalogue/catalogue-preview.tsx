import { lookingAs } from "../../api/looking.ts";
import { useAgent } from "../../api/use-agent.ts";
import { useApi } from "../../api/use-api.ts";
import { AgentSelect } from "../../ui/agent-select.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { given, useAddress } from "../../ui/use-address.ts";
import { useDelayed } from "../../ui/use-delayed.ts";
import { CatalogueBlock } from "./catalogue-block.tsx";
import { Reasons } from "./reason.tsx";

const formats = ["", "xml", "xml-attr", "markdown", "json"] as const;

/** The exact catalogue that an agent receives, and why each skill is or is not in it. */
export function CataloguePreview() {
  const [read] = useAddress();
  const agent = useAgent();
  const runtime = useDelayed(read("runtime"), 250);
  const model = useDelayed(read("model"), 250);
  const task = useDelayed(read("task"), 250);
  const format = formats.find((each) => each === read("format")) ?? "";
  const looking = agent === "" ? given({ runtime }) : lookingAs(agent);
  return (
    <Page title="Catalogue" about="Preview the part of the system prompt that lists an agent's skills.">
      <Panel>
        <div className="grid gap-3 p-4 sm:grid-cols-2 lg:grid-cols-3">
          <Viewing agent={agent} />
          <Asking format={format} />
        </div>
      </Panel>
      <CatalogueBlock query={given({ format, model, task })} looking={looking} />
      <Reasons looking={looking} />
    </Page>
  );
}

/** Whose eyes it is seen through. */
function Viewing({ agent }: { readonly agent: string }) {
  const [read, write] = useAddress();
  const isAgent = agent !== "";
  const { data } = useApi("GET /v1/agents", undefined, { enabled: isAgent });
  const own = data?.agents.find(({ key }) => key === agent)?.runtime ?? "";
  return (
    <>
      <AgentSelect value={agent} onChange={(chosen) => write("agent", chosen)} />
      <Field
        label="Runtime"
        note={isAgent ? "Set on the agent." : "The agent's framework, such as claude-code."}
      >
        <Input
          value={isAgent ? own : read("runtime")}
          disabled={isAgent}
          maxLength={128}
          placeholder="Any"
          onChange={({ target }) => write("runtime", target.value)}
        />
      </Field>
    </>
  );
}

/** The inputs for the catalogue options. */
function Asking({ format }: { readonly format: string }) {
  const [read, write] = useAddress();
  return (
    <>
      <Field label="Model" note="Sets the default format.">
        <Input
          value={read("model")}
          disabled={format !== ""}
          maxLength={128}
          placeholder="Any"
          onChange={({ target }) => write("model", target.value)}
        />
      </Field>
      <Field label="Format">
        <Select value={format} onChange={({ target }) => write("format", target.value)}>
          {formats.map((each) => (
            <option key={each} value={each}>
              {each === "" ? "Auto (by model)" : each}
            </option>
          ))}
        </Select>
      </Field>
      <div className="sm:col-span-2">
        <Field label="Task" note="Ranks skills when they do not all fit.">
          <Input
            value={read("task")}
            maxLength={1000}
            placeholder="What the agent is about to do"
            onChange={({ target }) => write("task", target.value)}
          />
        </Field>
      </div>
    </>
  );
}
