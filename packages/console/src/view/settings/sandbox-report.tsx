import { Dot } from "../../ui/badge.tsx";
import { Mono } from "../../ui/text.tsx";
import { type Report, readChecks, readProblem } from "./sandbox-answer.ts";

/** The result of each sandbox check. */
export function SandboxReport({ report }: { readonly report: Report }) {
  const checks = readChecks(report["checks"]);
  const problem = readProblem(report["problem"]);
  const held = checks.filter(({ isConfined }) => isConfined).length;
  return (
    <div className="px-4 py-3 text-sm" aria-live="polite">
      <p className="flex items-center gap-2 font-medium">
        <Dot tone={report.ok ? "good" : "bad"} />
        {report.ok ? "The sandbox works." : "The sandbox does not work."}
        {checks.length > 0 && (
          <span className="font-normal text-muted">
            {held} of {checks.length} checks passed
          </span>
        )}
      </p>
      {problem !== undefined && (
        <p className="mt-1 break-words">
          {problem.message} {problem.hint}
        </p>
      )}
      <ul className="mt-3 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {checks.map(({ name, title, isConfined, detail }) => (
          <li key={name} className="flex min-w-0 items-baseline gap-2">
            <Dot tone={isConfined ? "good" : "bad"} />
            <span className="min-w-0 break-words">
              {title}
              {!isConfined && <span className="font-medium text-bad"> failed</span>}
              {detail !== "" && <Mono className="ml-1 text-muted">{detail}</Mono>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
