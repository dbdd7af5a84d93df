import { Check, FileCheck, OctagonAlert, TriangleAlert, Users, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useIsAdmin } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { TrustBadge } from "../../ui/skill-badge.tsx";
import { Kbd, Mono } from "../../ui/text.tsx";
import { type Answered, answers } from "./answer.ts";
import { actOf, dangersOf, exactText, type Question } from "./question.ts";
import { QuestionContentView } from "./question-content.tsx";
import { QuestionFacts } from "./question-fact.tsx";
import { useSettled } from "./use-settled.ts";

export interface QuestionCardProps {
  readonly question: Question;
  /** Which one of the list it is. */
  readonly place: number;
  readonly isCurrent: boolean;
  /** Whether keys answer it now. */
  readonly hasKeys: boolean;
  readonly onAnswer: (answer: Answered) => void;
}

/** One question: exactly which command would run, and which resources it could reach. */
export function QuestionCard({ question, place, isCurrent, hasKeys, onAnswer }: QuestionCardProps) {
  const { id, skill, target, args, trust, reason } = question;
  const isSettled = useSettled(place);
  const isOver = useSecondsLeft(question.expiresAt) === 0;
  return (
    <article
      id={`question-${id}`}
      aria-label={`${target} of ${skill}`}
      aria-current={isCurrent ? "true" : undefined}
      className={classNames(
        "scroll-my-16 rounded-lg border bg-panel",
        isCurrent ? "border-accent shadow-pop" : "border-line",
      )}
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
        <h2 className="min-w-0 font-medium break-words">
          <Link href={`/skills/${skill}`} className="hover:underline">
            {skill}
          </Link>{" "}
          wants to {actOf(question)} <Mono className="break-all">{exactText(target)}</Mono>
        </h2>
        <TrustBadge trust={trust} />
        <span className="ml-auto text-xs text-muted">
          <TimeLeft until={question.expiresAt} />
        </span>
      </header>
      <div className="space-y-3 px-4 py-3 text-sm">
        <Dangers question={question} />
        <div className="space-y-1">
          <h3 className="text-xs text-muted">Arguments</h3>
          {args.length === 0 ? (
            <p>none</p>
          ) : (
            <ScrollText
              label={`Arguments of question ${id.slice(0, 8)}`}
              text={args.map(exactText).join("\n")}
              className="max-h-40"
            />
          )}
        </div>
        <p className="break-words text-muted">{reason}</p>
        <QuestionContentView question={question} />
        <QuestionFacts question={question} />
      </div>
      <footer className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
        {question.mayAnswer ? (
          <AnswerButtons {...{ isCurrent, hasKeys, isSettled, isOver, onAnswer }} />
        ) : (
          <p className="text-sm text-muted">An approver of this skill or an administrator answers.</p>
        )}
      </footer>
    </article>
  );
}

const icons = { once: Check, content: FileCheck, arguments: FileCheck, everyone: Users, deny: X } as const;
const looks = {
  once: "primary",
  content: "plain",
  arguments: "plain",
  everyone: "plain",
  deny: "danger",
} as const;
const order = ["once", "content", "arguments", "everyone", "deny"] as const satisfies readonly Answered[];

interface AnswerButtonsProps extends Pick<QuestionCardProps, "isCurrent" | "hasKeys" | "onAnswer"> {
  /** Whether they have been where they are for a while: a click on one that just came there was meant for another. */
  readonly isSettled: boolean;
  readonly isOver: boolean;
}

function AnswerButtons({ isCurrent, hasKeys, isSettled, isOver, onAnswer }: AnswerButtonsProps) {
  const isAdmin = useIsAdmin();
  if (isOver) return <p className="text-sm text-muted">Expired without an answer; it will not run.</p>;
  const open = order.filter((answer) => isAdmin || answer !== "everyone");
  return open.map((answer) => (
    <Button
      key={answer}
      look={looks[answer]}
      icon={icons[answer]}
      aria-keyshortcuts={hasKeys ? answers[answer].key : undefined}
      aria-disabled={!isSettled}
      onClick={() => isSettled && onAnswer(answer)}
    >
      {answers[answer].name}
      {isCurrent && answers[answer].key !== undefined && (
        <span aria-hidden className="hidden sm:inline">
          <Kbd>{answers[answer].key}</Kbd>
        </span>
      )}
    </Button>
  ));
}

function Dangers({ question }: { readonly question: Question }) {
  const dangers = dangersOf(question);
  if (dangers.length === 0) return null;
  return (
    <ul className="space-y-1.5">
      {dangers.map(({ text, isGrave }) => {
        const Icon = isGrave ? OctagonAlert : TriangleAlert;
        return (
          <li
            key={text}
            className={classNames(
              "flex items-start gap-2 rounded-md px-3 py-2 break-words",
              isGrave ? "border border-bad bg-bad-soft font-semibold text-bad" : "bg-warn-soft text-warn",
            )}
          >
            <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
            <span className="min-w-0 break-words">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

function useSecondsLeft(until: string): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  return Math.max(0, Math.round((Date.parse(until) - now) / 1000));
}

const SOON = 60;

function TimeLeft({ until }: { readonly until: string }) {
  const seconds = useSecondsLeft(until);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <span role="timer" className={classNames("tabular-nums", seconds < SOON && "font-medium text-warn")}>
      {seconds === 0 ? "expired" : `${text} left`}
    </span>
  );
}
