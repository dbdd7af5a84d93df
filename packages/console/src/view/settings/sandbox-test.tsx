import { ShieldCheck } from "lucide-react";
import { useIsAdmin } from "../../api/session.tsx";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure } from "../../ui/state.tsx";
import { SandboxReport } from "./sandbox-report.tsx";

/** Tries the sandbox when an administrator asks. */
export function SandboxTest() {
  const isAdmin = useIsAdmin();
  const test = useChange("POST /v1/status/sandbox-test");
  if (!isAdmin) return null;
  return (
    <Panel
      title="Sandbox"
      actions={
        <Button icon={ShieldCheck} isBusy={test.isPending} onClick={() => test.mutate({})}>
          {test.isPending ? "Testing" : test.data === undefined ? "Run self-test" : "Run again"}
        </Button>
      }
    >
      {test.error !== null && <Failure error={test.error} />}
      {test.data === undefined ? (
        <p className="px-4 py-3 text-sm text-muted">
          Scripts run in a sandbox. The self-test tries harmless escapes and reports which are blocked.
        </p>
      ) : (
        <SandboxReport report={test.data} />
      )}
    </Panel>
  );
}
