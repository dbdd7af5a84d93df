import type { ProposalDecision } from "@skillhold/protocol";
import { Check, GitMerge, type LucideIcon, MessageSquare, Play, Trash2, Undo2, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { queries } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure } from "../../ui/state.tsx";
import { Kbd } from "../../ui/text.tsx";
import { toast } from "../../ui/toast.tsx";
import type { ProposalDetail } from "./proposal.ts";

type Act = ProposalDecision | "apply" | "rebase" | "withdraw";

interface ActRow {
  readonly act: Act;
  readonly title: string;
  readonly done: string;
  readonly icon: LucideIcon;
  readonly look: "primary" | "plain" | "danger";
  readonly may: keyof ProposalDetail["may"];
  readonly key?: string;
  readonly needsComment?: true;
}

const acts: readonly ActRow[] = [
  { act: "apply", title: "Apply", done: "Applied", icon: Play, look: "primary", may: "apply", key: "p" },
  {
    act: "approve",
    title: "Approve",
    done: "Approved",
    icon: Check,
    look: "primary",
    may: "approve",
    key: "a",
  },
  {
    ...{ act: "request_changes", title: "Request changes", done: "Changes requested", icon: Undo2 },
    ...{ look: "plain", may: "reject", needsComment: true },
  },
  { act: "reject", title: "Reject", done: "Rejected", icon: X, look: "danger", may: "reject" },
  {
    ...{ act: "comment", title: "Comment", done: "Comment added", icon: MessageSquare },
    ...{ look: "plain", may: "comment", needsComment: true },
  },
  { act: "rebase", title: "Rebase", done: "Rebased", icon: GitMerge, look: "plain", may: "rebase" },
  { act: "withdraw", title: "Withdraw", done: "Withdrawn", icon: Trash2, look: "danger", may: "withdraw" },
];

async function send(act: Act, { id, candidate }: ProposalDetail, comment: string): Promise<unknown> {
  const params = { proposal: id };
  if (act === "apply") return await call("POST /v1/proposals/{proposal}/apply", { params });
  if (act === "rebase") return await call("POST /v1/proposals/{proposal}/rebase", { params });
  if (act === "withdraw") return await call("POST /v1/proposals/{proposal}/withdraw", { params });
  // The candidate that is shown: a rebased one must be read first.
  const body = { decision: act, candidate, ...(comment === "" ? {} : { comment }) };
  return await call("POST /v1/proposals/{proposal}/reviews", { params, body });
}

/** The acts on a proposal that its reader may do. Without any it shows nothing. */
export function ProposalReview({ proposal }: { readonly proposal: ProposalDetail }) {
  const [comment, setComment] = useState("");
  const [busy, setBusy] = useState<Act>();
  const [error, setError] = useState<Error>();
  const offered = acts.filter(({ may }) => proposal.may[may]);
  const run = async ({ act, done }: ActRow) => {
    if (busy !== undefined) return;
    setBusy(act);
    setError(undefined);
    try {
      await send(act, proposal, comment.trim());
      setComment("");
      toast(done);
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(undefined);
      for (const key of proposalRoutes) void queries.invalidateQueries({ queryKey: [key] });
    }
  };
  useReviewKeys((key) => {
    const row = offered.find((each) => each.key === key);
    if (row !== undefined) void run(row);
  });
  if (offered.length === 0) return null;
  return (
    <Panel title="Your decision">
      <div className="space-y-3 p-4">
        {proposal.may.comment && (
          <Field label="Comment" note="Required to request changes. Press c to write one.">
            <TextArea
              rows={3}
              data-review-comment
              value={comment}
              maxLength={8000}
              onChange={({ target }) => setComment(target.value)}
            />
          </Field>
        )}
        {error !== undefined && <Failure error={error} isCompact />}
        <div className="flex flex-wrap gap-2">
          {offered.map((row) => (
            <Button
              key={row.act}
              look={row.look}
              icon={row.icon}
              isBusy={busy === row.act}
              disabled={busy !== undefined || (row.needsComment === true && comment.trim() === "")}
              onClick={() => void run(row)}
            >
              {row.title} {row.key !== undefined && <Kbd>{row.key}</Kbd>}
            </Button>
          ))}
        </div>
      </div>
    </Panel>
  );
}

const proposalRoutes = [
  "GET /v1/proposals",
  "GET /v1/proposals/{proposal}",
  "GET /v1/proposals/{proposal}/diff",
] as const;

const GO_MS = 1200;

/** Single keys outside text fields; `c` moves to the comment. After `g` a letter opens another view. */
function useReviewKeys(onKey: (key: string) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    let pressedG = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const isWriting =
        target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null;
      if (isWriting || event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
      const isGoing = performance.now() - pressedG < GO_MS;
      pressedG = event.key === "g" && !isGoing ? performance.now() : Number.NEGATIVE_INFINITY;
      if (isGoing) return;
      if (event.key === "c") {
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-review-comment]")?.focus();
      } else latest.current(event.key);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}
