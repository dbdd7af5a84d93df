import { ScanSearch } from "lucide-react";
import type { Looking } from "../../api/looking.ts";
import { useApi } from "../../api/use-api.ts";
import { Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { useDelayed } from "../../ui/use-delayed.ts";
import { HitRow } from "./hit-row.tsx";
import { isStrong } from "./score-part.ts";

export interface HitListProps {
  /** Which of two it is. */
  readonly name?: string;
  readonly words: string;
  /** Through whose eyes; undefined while that is not known. */
  readonly looking: Looking | undefined;
  readonly limit: string;
}

/** The search results, best first. */
export function HitList({ name, words: typed, looking, limit }: HitListProps) {
  const words = useDelayed(typed.trim(), 200);
  const { data, error, isPending, refetch } = useApi(
    "GET /v1/skills/search",
    { query: { q: words, limit, ...looking } },
    { enabled: words !== "" && looking !== undefined, keep: true },
  );
  if (words === "") return null;
  const hits = data?.hits ?? [];
  const best = hits[0]?.hit.score ?? 1;
  const strong = hits.filter(({ hit }) => isStrong(hit, best)).length;
  const found = data === undefined ? "Searching" : `${count(hits.length, "result")}, ${strong} strong`;
  return (
    <Panel title={name === undefined ? found : `${name}: ${found}`}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && isPending && <SkeletonRows count={4} />}
      {data !== undefined && hits.length === 0 && (
        <Empty icon={ScanSearch} title="No results">
          No visible skill matches these words.
        </Empty>
      )}
      <ol className="@container divide-y divide-line">
        {hits.map((hit, at) => (
          <HitRow key={hit.row.entry.id} place={at + 1} hit={hit} best={best} />
        ))}
      </ol>
    </Panel>
  );
}
