import { CircleCheck, CircleDashed } from "lucide-react";
import { useEffect } from "react";
import { Link } from "wouter";
import { queries, useApi } from "../../api/use-api.ts";
import { useSkills } from "../../api/use-skills.ts";
import { Panel } from "../../ui/page.tsx";
import { type OnboardingStep, stepsFor } from "./onboarding.ts";

const POLL_MS = 3000;

/** The way to the first call of an agent. Hidden when all steps are done. */
export function Onboarding() {
  const steps = useSteps();
  const isOpen = steps?.some(({ isDone }) => !isDone) === true;
  // The first use of a token has no event.
  useEffect(() => {
    if (!isOpen) return;
    const timer = window.setInterval(
      () => void queries.invalidateQueries({ queryKey: ["GET /v1/tokens"] }),
      POLL_MS,
    );
    return () => window.clearInterval(timer);
  }, [isOpen]);
  if (steps === undefined || !isOpen) return null;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Panel title={`Get started, ${steps.filter(({ isDone }) => isDone).length} of ${steps.length} done`}>
      <ol className="divide-y divide-line">
        {steps.map((step) => (
          <Step key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </Panel>
  );
}

function useSteps(): readonly OnboardingStep[] | undefined {
  const { data: rows } = useSkills();
  const { data: agents } = useApi("GET /v1/agents");
  const { data: tokens } = useApi("GET /v1/tokens");
  if (rows === undefined || agents === undefined || tokens === undefined) return undefined;
  const hasSkill = rows.some(({ registry }) => registry?.system !== true);
  return stepsFor({ hasSkill, agents: agents.agents, tokens: tokens.tokens });
}

function Step({ step, isNext }: { readonly step: OnboardingStep; readonly isNext: boolean }) {
  const { title, about, href, action, isDone } = step;
  const Icon = isDone ? CircleCheck : CircleDashed;
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-2.5 text-sm">
      <Icon className={`size-5 shrink-0 ${isDone ? "text-good" : "text-faint"}`} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {title}
          <span className="sr-only">{isDone ? ", done" : ", not done"}</span>
        </p>
        {!isDone && <p className="text-muted">{about}</p>}
      </div>
      {!isDone && (
        <Link
          href={href}
          className={`inline-flex h-8 items-center rounded-md border px-3 font-medium ${
            isNext
              ? "border-transparent bg-accent text-on-accent hover:bg-accent-strong"
              : "border-line-strong hover:bg-raised"
          }`}
        >
          {action}
        </Link>
      )}
    </li>
  );
}
