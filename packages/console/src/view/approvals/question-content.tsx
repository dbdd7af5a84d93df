import { type ReactNode, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { Ago, count, formatBytes } from "../../ui/text.tsx";
import { CodeView } from "../skill/files/code-view.tsx";
import { FileChange } from "../skill/versions/compare.tsx";
import { exactText, type Question, type QuestionContent } from "./question.ts";

/** The code of a question and its changes since the last approval, loaded when someone opens it. */
export function QuestionContentView({ question }: { readonly question: Question }) {
  const [isOpen, setOpen] = useState(false);
  const isScript = question.act === "run_script";
  return (
    <details
      className="overflow-hidden rounded-md border border-line"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="px-3 py-2 text-accent hover:bg-raised">
        {isScript
          ? `Show the code of ${exactText(question.target)}`
          : "Show the changes since the last approval"}
      </summary>
      {isOpen && <Content question={question} isScript={isScript} />}
    </details>
  );
}

interface ContentProps {
  readonly question: Question;
  readonly isScript: boolean;
}

function Content({ question, isScript }: ContentProps) {
  const params = { question: question.id };
  const { data, error, refetch } = useApi("GET /v1/approvals/{question}/content", { params });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} isCompact />;
  if (data === undefined) return <SkeletonRows count={2} />;
  return (
    <div className="divide-y divide-line border-t border-line">
      {isScript && <Code code={data.code} />}
      <Changes content={data} />
    </div>
  );
}

function Code({ code }: Pick<QuestionContent, "code">) {
  if (code === undefined)
    return <Note>The gateway does not have this content any more, so its code cannot be shown.</Note>;
  const { path, text, bytes, isCut } = code;
  if (text === undefined) return <Note>The script is a binary file of {formatBytes(bytes)}.</Note>;
  return (
    <div>
      {isCut && (
        <p className="bg-warn-soft px-3 py-2 text-xs text-warn">
          Only the first 64 KB of {formatBytes(bytes)} are shown.
        </p>
      )}
      <div className="max-h-96 overflow-y-auto">
        <CodeView path={path} text={text} />
      </div>
    </div>
  );
}

function Changes({ content: { approved, changes } }: { readonly content: QuestionContent }) {
  if (approved === undefined) return <Note>No earlier approval to compare with.</Note>;
  const last = (
    <>
      the approval by {exactText(approved.by)} <Ago at={approved.at} />
    </>
  );
  if (changes === undefined)
    return <Note>No comparison: the gateway does not have both this content and the content of {last}.</Note>;
  if (changes.length === 0) return <Note>Unchanged since {last}.</Note>;
  return (
    <section aria-label="Changes since the last approval" className="divide-y divide-line">
      <Note>
        {count(changes.length, "file")} changed since {last}.
      </Note>
      {changes.map((file) => (
        <FileChange key={file.path} file={file} />
      ))}
    </section>
  );
}

function Note({ children }: { readonly children: ReactNode }) {
  return <p className="px-3 py-2 text-muted">{children}</p>;
}
