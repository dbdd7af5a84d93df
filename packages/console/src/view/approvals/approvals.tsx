import { Inbox } from "lucide-react";
import { useEffect, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count, Kbd } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { LatestEvents } from "../activity/latest-events.tsx";
import { type Answered, answers } from "./answer.ts";
import { Kept } from "./kept.tsx";
import type { Question } from "./question.ts";
import { QuestionCard } from "./question-card.tsx";
import { useAnswerKeys } from "./use-answer-keys.ts";
import { useCurrent } from "./use-current.ts";

/** Questions that wait for an approval, and approvals that are still valid. */
export function Approvals() {
  const { data, error, isPending, refetch } = useApi("GET /v1/approvals");
  const { shown, give } = useAnswers(data?.questions ?? []);
  useExpiry(shown, refetch);
  return (
    <Page title="Approvals" about={<About hasKeys={shown.length > 0} />}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={2} />}
      {data !== undefined && shown.length === 0 && (
        <Panel>
          <Empty icon={Inbox} title="No pending approvals">
            Runs that need a person's approval, such as scripts of user skills, network access or secrets,
            appear here live. Without an answer in a few minutes, nothing runs.
          </Empty>
        </Panel>
      )}
      <Questions shown={shown} onAnswer={give} />
      {data !== undefined && data.approvals.length > 0 && <Kept approvals={data.approvals} />}
      <LatestEvents
        title="History"
        limit={10}
        type="approval.granted,approval.denied,approval.revoked"
        empty="No run has been approved or denied yet."
        more={{ href: "/activity?kind=approvals", label: "All approvals" }}
      />
    </Page>
  );
}

const LINGER_MS = 5000;

/** Refetches shortly after a question expires, because no event reports the expiry. */
function useExpiry(shown: readonly Question[], onExpiry: () => Promise<unknown>): void {
  const first = Math.min(...shown.map(({ expiresAt }) => Date.parse(expiresAt)));
  useEffect(() => {
    if (!Number.isFinite(first)) return;
    const timer = window.setTimeout(() => void onExpiry(), Math.max(0, first - Date.now()) + LINGER_MS);
    return () => window.clearTimeout(timer);
  }, [first, onExpiry]);
}

function About({ hasKeys }: { readonly hasKeys: boolean }) {
  return (
    <>
      Runs that wait for a person.
      {hasKeys && (
        <span className="ml-2 hidden sm:inline">
          <Kbd>j</Kbd> <Kbd>k</Kbd> move, <Kbd>a</Kbd> approve once, <Kbd>c</Kbd> approve for this content,{" "}
          <Kbd>d</Kbd> deny
        </span>
      )}
    </>
  );
}

type Give = (question: Question, answer: Answered) => void;

/** The waiting questions without the ones just answered; a question returns when its answer fails. */
function useAnswers(questions: readonly Question[]): {
  readonly shown: readonly Question[];
  readonly give: Give;
} {
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const answer = useChange("POST /v1/approvals/{question}", ["GET /v1/approvals"]);
  const give: Give = (question, given) => {
    const { id, target, skill } = question;
    setGone((before) => new Set(before).add(id));
    answer.mutate(
      { params: { question: id }, body: answers[given].body },
      {
        onSuccess: () =>
          toast(`${target} of ${skill}: ${answers[given].done}`, {
            tone: given === "deny" ? "info" : "good",
          }),
        onError: (failure) => {
          setGone((before) => new Set([...before].filter((each) => each !== id)));
          toastFailure(failure);
        },
      },
    );
  };
  return { shown: questions.filter(({ id }) => !gone.has(id)), give };
}

function Questions({ shown, onAnswer }: { readonly shown: readonly Question[]; readonly onAnswer: Give }) {
  const ids = shown.map(({ id }) => id);
  const current = useCurrent(ids);
  useAnswerKeys({
    onAnswer: (given) => {
      const question = shown.find(({ id }) => id === current.id);
      const isOpen = question !== undefined && Date.parse(question.expiresAt) > Date.now();
      if (isOpen && question.mayAnswer && current.isSettled) onAnswer(question, given);
    },
    onMove: (by) => {
      const next = ids[ids.indexOf(current.id ?? "") + by];
      if (next === undefined) return;
      current.move(next);
      document.getElementById(`question-${next}`)?.scrollIntoView({ block: "nearest" });
    },
  });
  return (
    <div className={shown.length === 0 ? "sr-only" : "space-y-3 px-4 pb-4"}>
      {shown.map((question, place) => (
        <QuestionCard
          key={question.id}
          question={question}
          place={place}
          isCurrent={question.id === current.id}
          hasKeys={question.id === current.id && current.isSettled}
          onAnswer={(given) => onAnswer(question, given)}
        />
      ))}
      <p className="sr-only" aria-live="polite">
        {count(shown.length, "question")} open
      </p>
    </div>
  );
}
