import { Play } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, TextArea } from "../../../ui/field.tsx";
import { ScrollText } from "../../../ui/scroll-text.tsx";
import { Failure } from "../../../ui/state.tsx";
import { inSession, type ToolResult } from "./console-session.ts";

/** Runs a script in the sandbox, as an agent would, and shows its output. It may wait for an approval. */
export function ScriptRun({ id, script }: { readonly id: string; readonly script: string }) {
  const [args, setArgs] = useState("");
  const [stdin, setStdin] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<ToolResult>();
  const [error, setError] = useState<Error>();
  const run = async () => {
    setBusy(true);
    setResult(undefined);
    setError(undefined);
    try {
      setResult(await runScript(id, script, args, stdin));
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      aria-label={`Run ${script}`}
      className="space-y-3 border-b border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Arguments" note="One per line.">
          <TextArea
            rows={3}
            spellCheck={false}
            value={args}
            onChange={({ target }) => setArgs(target.value)}
            className="font-mono"
          />
        </Field>
        <Field label="Input" note="The standard input of the script.">
          <TextArea
            rows={3}
            spellCheck={false}
            value={stdin}
            onChange={({ target }) => setStdin(target.value)}
            className="font-mono"
          />
        </Field>
      </div>
      <div className="flex items-center gap-3">
        <Button type="submit" look="primary" icon={Play} isBusy={isBusy}>
          {isBusy ? "Running" : "Run in the sandbox"}
        </Button>
        {isBusy && <span className="text-sm text-muted">It may wait for an approval.</span>}
      </div>
      {error !== undefined && <Failure error={error} isCompact />}
      {result !== undefined && (
        <div role="status" className="space-y-2">
          <Badge tone={result.ok ? "good" : "bad"}>{result.ok ? "ran" : result.error.code}</Badge>
          <ScrollText label={`Output of ${script}`} text={result.text} className="max-h-96" />
        </div>
      )}
    </form>
  );
}

async function runScript(id: string, script: string, args: string, stdin: string): Promise<ToolResult> {
  const listed = args.split("\n").filter((line) => line !== "");
  const body = {
    skill_id: id,
    script,
    ...(listed.length === 0 ? {} : { args: listed }),
    ...(stdin === "" ? {} : { stdin }),
  };
  return await inSession(`Run ${script} in the console`, (_session, callTool) =>
    callTool("run_skill_script", body),
  );
}
