import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { type Notice, notify } from "../api/notification.ts";
import { useCanPublish } from "../api/session.tsx";
import { useApi } from "../api/use-api.ts";
import { useTitleCount } from "../ui/title.ts";

/** Things that wait for the signed-in user: their number in the title, and a notice of each new one. */
export function Attention() {
  const [place, go] = useLocation();
  const canPublish = useCanPublish();
  const { data: approvals } = useApi("GET /v1/approvals", undefined, { enabled: canPublish });
  const { data: proposals } = useApi("GET /v1/proposals", { query: { waiting: "true" } });
  const questions = approvals?.questions.filter(({ mayAnswer }) => mayAnswer);
  useTitleCount((questions?.length ?? 0) + (proposals?.proposals.length ?? 0));
  // A skill is named by its id only: a notice may be shown on a locked screen.
  useNotices(
    questions?.map(({ id, skill }) => ({
      ...{
        id: `approval ${id}`,
        title: "Approval waiting",
        text: `A run of ${skill} waits for your answer.`,
      },
      onOpen: () => go("/approvals"),
    })),
    isLookedAt(place, "/approvals"),
  );
  useNotices(
    proposals?.proposals.map(({ id, skill }) => ({
      ...{ id: `proposal ${id}`, title: "Proposal waiting" },
      text: `A change of ${skill} waits for your review.`,
      onOpen: () => go(`/proposals/${encodeURIComponent(id)}`),
    })),
    isLookedAt(place, "/proposals"),
  );
  return null;
}

function isLookedAt(place: string, view: string): boolean {
  return place.startsWith(view) && document.hasFocus();
}

/** Notifies of each new item. Those of the first answer were there before the page. */
function useNotices(notices: readonly Notice[] | undefined, isSeen: boolean): void {
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    if (notices === undefined) return;
    const before = known.current;
    known.current = new Set(notices.map(({ id }) => id));
    if (before === undefined || isSeen) return;
    for (const notice of notices) if (!before.has(notice.id)) notify(notice);
  });
}
