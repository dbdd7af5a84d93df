import { useQuery } from "@tanstack/react-query";
import { Failure, Skeleton } from "../../ui/state.tsx";
import { DiffView } from "../skill/versions/diff-view.tsx";
import { type ChangePlace, readChange } from "./change-text.ts";

/** The diff between the current file and the dropped one. */
export function ChangeDiff(place: ChangePlace) {
  const { id, parcel, folder, change } = place;
  const { data, error, refetch } = useQuery({
    queryKey: ["change", parcel, id, folder, change],
    // A query must not answer with undefined.
    queryFn: async () => (await readChange(place)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} isCompact />;
  if (data === undefined) return <Skeleton className="m-3 h-12" />;
  if (data === null) return <p className="px-3 py-2 text-sm text-muted">No preview for this file.</p>;
  return <DiffView path={change.path} text={data} />;
}
