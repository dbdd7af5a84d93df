import { Blocks, ScrollText } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { type Answer, call } from "../../api/client.ts";
import { useIsAdmin } from "../../api/session.tsx";
import { queries, useApi } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { CommandLine } from "../../ui/command-line.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Failure } from "../../ui/state.tsx";
import { Mono } from "../../ui/text.tsx";
import { type AgentClient, agentClients, clientWith, freeKey, TOKEN_VARIABLE } from "./agent-client.ts";
import { FirstCall } from "./first-call.tsx";

type Issued = Answer<"POST /v1/tokens">;

/** Connects an agent to this gateway: its program, its identity, its settings, and its first call. */
export function Connect() {
  const [search, setSearch] = useSearchParams();
  const client = clientWith(search.get("client"));
  const [issued, setIssued] = useState<Issued>();
  const choose = (id: string) =>
    setSearch(
      (before) => {
        before.set("client", id);
        return before;
      },
      { replace: true },
    );
  return (
    <Page
      title="Connect your agent"
      about="Choose a program, give its agent a token of its own, and copy the settings."
    >
      <Panel title="1. Program">
        <div className="p-4 sm:max-w-md">
          <ClientField client={client} onChange={choose} />
        </div>
      </Panel>
      <Panel title="2. Agent">
        {issued === undefined ? (
          <AgentStep key={client.id} client={client} given={search.get("agent") ?? ""} onIssued={setIssued} />
        ) : (
          <IssuedNote issued={issued} onAgain={() => setIssued(undefined)} />
        )}
      </Panel>
      <Panel title="3. Settings">
        <ClientSettings client={client} secret={issued?.secret} />
      </Panel>
      <Panel title="4. First call">
        {issued === undefined ? (
          <p className="px-4 py-3 text-sm text-muted">Create a token first.</p>
        ) : (
          <>
            <FirstCall token={issued.token.id} agent={issued.token.agent ?? issued.token.name} />
            <NextSteps agent={issued.token.agent ?? ""} />
          </>
        )}
      </Panel>
    </Page>
  );
}

interface ClientFieldProps {
  readonly client: AgentClient;
  readonly onChange: (id: string) => void;
}

const kinds = [
  ["client", "MCP clients"],
  ["framework", "Frameworks"],
] as const;

function ClientField({ client, onChange }: ClientFieldProps) {
  return (
    <Field label="Client or framework">
      <Select value={client.id} onChange={({ target }) => onChange(target.value)}>
        {kinds.map(([kind, label]) => (
          <optgroup key={kind} label={label}>
            {agentClients
              .filter((each) => each.kind === kind)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </optgroup>
        ))}
      </Select>
    </Field>
  );
}

const NEW_AGENT = "";
const days = [30, 90, 365] as const;
const DAY_MS = 86_400_000;

interface AgentStepProps {
  readonly client: AgentClient;
  /** The agent in the address; empty for a new one. */
  readonly given: string;
  readonly onIssued: (issued: Issued) => void;
}

function AgentStep({ client, given, onIssued }: AgentStepProps) {
  const { data, error: listError } = useApi("GET /v1/agents");
  const agents = data?.agents ?? [];
  const [chosen, setChosen] = useState(given);
  const [typedKey, setTypedKey] = useState<string>();
  const [life, setLife] = useState<number>(90);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const key =
    typedKey ??
    freeKey(
      client,
      agents.map((agent) => agent.key),
    );
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const agent = chosen === NEW_AGENT ? await addAgent(key, client.runtime) : chosen;
      // If the token fails, the agent stays, and the next try uses it.
      setChosen(agent);
      const body = {
        name: `${agent} in ${client.title}`,
        role: "agent",
        agent,
        expiresInMs: life * DAY_MS,
      } as const;
      const issued = await call("POST /v1/tokens", { body });
      void queries.invalidateQueries({ queryKey: ["GET /v1/tokens"] });
      onIssued(issued);
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="space-y-3 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Agent">
          <Select value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value={NEW_AGENT}>New agent</option>
            {agents.map((agent) => (
              <option key={agent.key} value={agent.key}>
                {agent.displayName === agent.key ? agent.key : `${agent.displayName} (${agent.key})`}
              </option>
            ))}
          </Select>
        </Field>
        {chosen === NEW_AGENT && (
          <Field label="Key" note="A permanent id, used in grants and tokens.">
            <Input value={key} maxLength={64} onChange={({ target }) => setTypedKey(target.value)} />
          </Field>
        )}
        <Field label="Expires after">
          <Select value={life} onChange={({ target }) => setLife(Number(target.value))}>
            {days.map((each) => (
              <option key={each} value={each}>
                {each} days
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <p className="text-sm text-muted">
        The token acts only for the agent: it sees public skills and those granted to the agent, not your own.
      </p>
      {listError !== null && <Failure error={listError} isCompact />}
      {error !== undefined && <Failure error={error} isCompact />}
      <Button
        type="submit"
        look="primary"
        isBusy={isBusy}
        disabled={chosen === NEW_AGENT && key.trim() === ""}
      >
        {chosen === NEW_AGENT ? "Create agent and token" : "Create token"}
      </Button>
    </form>
  );
}

async function addAgent(key: string, runtime: string): Promise<string> {
  const agent = await call("POST /v1/agents", { body: { key: key.trim(), runtime } });
  void queries.invalidateQueries({ queryKey: ["GET /v1/agents"] });
  return agent.key;
}

function IssuedNote({ issued, onAgain }: { readonly issued: Issued; readonly onAgain: () => void }) {
  const { agent, name } = issued.token;
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-3 text-sm">
      <p>
        The token <span className="font-medium">{name}</span> acts as <Mono>{agent}</Mono>. Its secret is
        below, only now.
      </p>
      <Button onClick={onAgain}>Another agent</Button>
    </div>
  );
}

interface ClientSettingsProps {
  readonly client: AgentClient;
  readonly secret: string | undefined;
}

function ClientSettings({ client, secret }: ClientSettingsProps) {
  const { origin } = window.location;
  return (
    <div className="space-y-4 p-4 text-sm">
      <div className="space-y-1">
        <p>Set the token where you start {client.kind === "client" ? client.title : "your program"}.</p>
        <CommandLine line={`export ${TOKEN_VARIABLE}=${secret ?? "<token>"}`} />
      </div>
      <div className="space-y-1">
        <p>
          Add this to <Mono>{client.file}</Mono>.
        </p>
        <CommandLine line={client.settings(origin)} />
      </div>
      {client.kind === "client" && (
        <div className="space-y-1">
          <p>Or let the command line write it.</p>
          <CommandLine line={`npx skillhold mcp install --client ${client.id} --gateway ${origin}`} />
        </div>
      )}
      {client.step !== undefined && <p className="text-muted">{client.step}</p>}
    </div>
  );
}

function NextSteps({ agent }: { readonly agent: string }) {
  const isAdmin = useIsAdmin();
  const key = encodeURIComponent(agent);
  return (
    <div className="flex flex-wrap gap-2 border-t border-line px-4 py-3">
      <LinkButton href={`/catalogue?agent=${key}`} icon={Blocks}>
        What it sees
      </LinkButton>
      {isAdmin && (
        <LinkButton href="/activity" icon={ScrollText}>
          Activity
        </LinkButton>
      )}
    </div>
  );
}
