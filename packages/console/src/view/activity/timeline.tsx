import { Activity, ArrowUp, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useIsAdmin } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { EventList } from "./event-list.tsx";
import { ExportRecord } from "./export-record.tsx";
import { RecordFilters, useRecordFilter } from "./record-filter.tsx";
import { type RecordState, useRecord } from "./use-record.ts";
import { VerifyRecord } from "./verify-record.tsx";

/** Everything that was done, the newest first. */
export function Timeline() {
  const filter = useRecordFilter();
  const record = useRecord(filter);
  const isAdmin = useIsAdmin();
  return (
    <Page
      title="Activity"
      about={
        isAdmin
          ? "Everything people and agents did. Entries are hash-chained, so tampering shows."
          : "Everything people and agents did with the skills that you own or manage."
      }
    >
      {isAdmin && <VerifyRecord />}
      <RecordFilters actions={<ExportRecord filter={filter} />} />
      <div className="sticky top-14 z-20 flex h-0 justify-center md:top-3">
        {record.waiting > 0 && <NewPill count={record.waiting} onShow={record.showWaiting} />}
      </div>
      <Panel>
        <RecordList
          key={JSON.stringify(filter)}
          record={record}
          isFiltered={Object.keys(filter).length > 0}
        />
      </Panel>
    </Page>
  );
}

function NewPill({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <button
      type="button"
      onClick={onShow}
      className="flex h-7 items-center gap-1.5 rounded-full bg-accent px-3 text-xs font-medium text-on-accent shadow-pop"
    >
      <ArrowUp className="size-3.5" aria-hidden />
      <span aria-live="polite">{count.toLocaleString("en")} new</span>
    </button>
  );
}

function RecordList({ record, isFiltered }: { readonly record: RecordState; readonly isFiltered: boolean }) {
  const { entries, error, isPending } = record;
  if (isPending) return <SkeletonRows count={8} />;
  if (error !== null && entries.length === 0) return <Failure error={error} onRetry={record.retry} />;
  if (entries.length === 0) return <Nothing isFiltered={isFiltered} />;
  return (
    <>
      <EventList entries={entries} />
      {error !== null && <Failure error={error} onRetry={record.readOlder} />}
      {record.hasOlder ? (
        <Older isBusy={record.isReadingOlder} hasFailed={error !== null} onRead={record.readOlder} />
      ) : (
        <p className="border-t border-line px-4 py-3 text-center text-xs text-muted">Start of the log</p>
      )}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon={SearchX} title="No matching events">
        Clear a filter to see more.
      </Empty>
    );
  return (
    <Empty icon={Activity} title="No activity yet">
      Events appear here as soon as someone publishes a skill or an agent loads one.
    </Empty>
  );
}

interface OlderProps {
  readonly isBusy: boolean;
  readonly hasFailed: boolean;
  readonly onRead: () => void;
}

/** Loads older entries when the user scrolls near the end; the button does the same without scrolling. */
function Older({ isBusy, hasFailed, onRead }: OlderProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const watch = new IntersectionObserver(([seen]) => setNear(seen?.isIntersecting === true), {
      rootMargin: "600px",
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: onRead is a new function on every render.
  useEffect(() => {
    if (isNear && !isBusy && !hasFailed) onRead();
  }, [isNear, isBusy, hasFailed]);
  return (
    <div ref={place} className="flex justify-center border-t border-line p-3">
      <Button look="quiet" isBusy={isBusy} onClick={onRead}>
        Load older
      </Button>
    </div>
  );
}
