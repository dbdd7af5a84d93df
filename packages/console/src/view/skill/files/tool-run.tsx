import { Play, RefreshCw } from "lucide-react";
import { useState } from "react";
import { type Answer, call } from "../../../api/client.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, Select } from "../../../ui/field.tsx";
import { fieldsOf, valuesOf } from "../../../ui/schema-field.ts";
import { SchemaForm } from "../../../ui/schema-form.tsx";
import { ScrollText } from "../../../ui/scroll-text.tsx";
import { Failure } from "../../../ui/state.tsx";
import { inSession, type ToolResult } from "./console-session.ts";

type Tool = Answer<"GET /v1/sessions/{session}/tools">["tools"][number];

/** Calls a tool that the skill declares, with a form from its schema. Listing runs the skill's code in the sandbox. */
export function ToolRun({ id, path }: { readonly id: string; readonly path: string }) {
  const [tools, setTools] = useState<readonly Tool[]>();
  const [name, setName] = useState("");
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<ToolResult>();
  const [error, setError] = useState<Error>();
  const chosen = tools?.find((tool) => tool.name === name) ?? tools?.[0];
  const doing = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    try {
      await work();
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(false);
    }
  };
  const list = () => doing(async () => setTools(await listTools(id)));
  const run = () =>
    doing(async () => {
      if (chosen === undefined) return;
      const values = valuesOf(fieldsOf(chosen.inputSchema), texts);
      setResult(await callDeclared(id, chosen.name, values));
    });
  return (
    <form
      aria-label={`Tools of ${path}`}
      className="space-y-3 border-b border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void (tools === undefined ? list() : run());
      }}
    >
      {tools !== undefined && tools.length === 0 && (
        <p className="text-sm text-muted">The skill declares no tool that runs here.</p>
      )}
      {tools !== undefined && tools.length > 1 && (
        <Field label="Tool">
          <Select
            value={chosen?.name}
            onChange={({ target }) => {
              setName(target.value);
              setTexts({});
            }}
          >
            {tools.map((tool) => (
              <option key={tool.name} value={tool.name}>
                {shortName(tool.name)}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {chosen !== undefined && (
        <>
          <p className="text-sm">
            <span className="font-medium">{shortName(chosen.name)}</span>{" "}
            <span className="text-muted">{chosen.description}</span>
          </p>
          <SchemaForm schema={chosen.inputSchema} texts={texts} onChange={setTexts} />
        </>
      )}
      <div className="flex flex-wrap items-center gap-3">
        {tools === undefined || tools.length === 0 ? (
          <Button type="submit" look="primary" icon={RefreshCw} isBusy={isBusy}>
            {isBusy ? "Listing tools" : "List tools"}
          </Button>
        ) : (
          <Button type="submit" look="primary" icon={Play} isBusy={isBusy}>
            {isBusy ? "Running" : "Run in the sandbox"}
          </Button>
        )}
        {isBusy && <span className="text-sm text-muted">The run may wait for an approval.</span>}
      </div>
      {error !== undefined && <Failure error={error} isCompact />}
      {result !== undefined && (
        <div role="status" className="space-y-2">
          <Badge tone={result.ok ? "good" : "bad"}>{result.ok ? "returned" : result.error.code}</Badge>
          <ScrollText label={`Result of ${path}`} text={result.text} className="max-h-96" />
        </div>
      )}
    </form>
  );
}

/** Without the skill's id, which is the same for all of them. */
function shortName(name: string): string {
  return name.split("__").at(-1) ?? name;
}

/** Tools are listed for active skills, so the skill is read first. */
async function listTools(id: string): Promise<readonly Tool[]> {
  return await inSession(`List the tools of ${id} in the console`, async (session, callTool) => {
    rejectFailed(await callTool("read_skill", { skill_id: id }));
    const { tools } = await call("GET /v1/sessions/{session}/tools", { params: { session } });
    return tools.filter(({ owner }) => owner === id);
  });
}

async function callDeclared(id: string, tool: string, values: Readonly<Record<string, unknown>>) {
  return await inSession(`Run ${tool} in the console`, async (_session, callTool) => {
    rejectFailed(await callTool("read_skill", { skill_id: id }));
    return await callTool(tool, values);
  });
}

function rejectFailed(result: ToolResult): void {
  if (!result.ok) throw new Error(result.error.message);
}
