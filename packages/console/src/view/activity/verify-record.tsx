import { ShieldAlert, ShieldCheck } from "lucide-react";
import { useChange } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Failure } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { type AuditFinding, readReport } from "./audit-report.ts";

/** Verifies the whole record on request, and reports whether it was tampered with. */
export function VerifyRecord() {
  const verify = useChange("GET /v1/audit/verify");
  const report = verify.data === undefined ? undefined : readReport(verify.data);
  return (
    <div className="mx-4 mb-4 space-y-2">
      <div className="flex flex-wrap items-center gap-2" aria-live="polite">
        <Button icon={ShieldCheck} isBusy={verify.isPending} onClick={() => verify.mutate({})}>
          {report === undefined ? "Verify chain" : "Verify again"}
        </Button>
        {report?.isSound === true && (
          <>
            <Badge tone="good">
              <ShieldCheck className="size-3.5" aria-hidden /> Chain verified
            </Badge>
            <span className="text-sm text-muted">
              {report.entries === 1 ? "1 entry" : `${report.entries.toLocaleString("en")} entries`},{" "}
              {report.isSigned
                ? "signed by this gateway's key"
                : "not signed: a cut at the end would go unnoticed"}
            </span>
          </>
        )}
        {report?.isSound === false && (
          <Badge tone="bad">
            <ShieldAlert className="size-3.5" aria-hidden /> {count(report.problemCount, "problem")}
          </Badge>
        )}
      </div>
      {report?.isSound === false && <Findings findings={report.problems} total={report.problemCount} />}
      {verify.error !== null && <Failure error={verify.error} isCompact onRetry={() => verify.mutate({})} />}
    </div>
  );
}

const MOST = 20;

function Findings({
  findings,
  total,
}: {
  readonly findings: readonly AuditFinding[];
  readonly total: number;
}) {
  const shown = findings.slice(0, MOST);
  return (
    <div role="alert" className="rounded-lg border border-line bg-bad-soft px-4 py-3 text-sm">
      <p className="font-medium text-bad">The log has been altered.</p>
      <ul className="mt-1 space-y-1">
        {shown.map(({ seq, code, message }) => (
          <li key={`${seq} ${code} ${message}`}>
            {seq !== undefined && <span className="font-mono text-xs">entry {seq}: </span>}
            {message}
          </li>
        ))}
      </ul>
      {total > shown.length && <p className="mt-1 text-muted">and {total - shown.length} more</p>}
      <p className="mt-2">Copy the store as it is, and compare it with a backup.</p>
    </div>
  );
}
