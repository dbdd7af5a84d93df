import { Table } from "../../../ui/table.tsx";
import { barsOf, type Day, usesOf } from "./day.ts";

const HEIGHT = 96;
const STEP = 20;
const BAR = 14;

/** Bars by day. Screen readers skip the chart; a table below it has the same numbers. */
export function UsageChart({ days }: { readonly days: readonly Day[] }) {
  const { bars, most } = barsOf(days);
  return (
    <figure className="px-4 py-4">
      <svg
        aria-hidden
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-28 w-full"
      >
        {bars.map(({ day, good, failed }, at) => (
          <g key={day.day}>
            <title>{wordsFor(day)}</title>
            <rect x={at * STEP} y={0} width={STEP} height={HEIGHT} fill="transparent" />
            <rect
              x={at * STEP + (STEP - BAR) / 2}
              y={HEIGHT - (good + failed) * HEIGHT}
              width={BAR}
              height={good * HEIGHT}
              className="fill-accent"
            />
            <rect
              x={at * STEP + (STEP - BAR) / 2}
              y={HEIGHT - failed * HEIGHT}
              width={BAR}
              height={failed * HEIGHT}
              className="fill-bad"
            />
          </g>
        ))}
      </svg>
      <div
        aria-hidden
        className="flex justify-between border-t border-line pt-1 text-xs text-muted tabular-nums"
      >
        <span>{days[0]?.day}</span>
        <span>peak {most.toLocaleString("en")} a day</span>
        <span>{days.at(-1)?.day}</span>
      </div>
      <figcaption className="mt-2 text-xs text-muted">
        Loads, reads and runs per day over the last {days.length} days. Failures are red.
        <details className="mt-1">
          <summary className="w-fit text-accent-strong underline underline-offset-2">Show as table</summary>
          <DayTable days={days} />
        </details>
      </figcaption>
    </figure>
  );
}

function DayTable({ days }: { readonly days: readonly Day[] }) {
  return (
    <Table
      label="Usage by day"
      rows={days.filter((day) => usesOf(day) > 0).toReversed()}
      keyOf={({ day }) => day}
      columns={[
        { title: "Day", show: ({ day }) => day },
        { title: "Loaded", show: ({ activations }) => activations },
        { title: "Read", show: ({ reads }) => reads },
        { title: "Runs", show: ({ runs }) => runs },
        { title: "Failed", show: ({ failures }) => failures },
      ]}
    />
  );
}

function wordsFor({ day, activations, reads, runs, failures }: Day): string {
  return `${day}: ${activations} loaded, ${reads} read, ${runs} run, ${failures} failed`;
}
