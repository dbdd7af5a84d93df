import { Panel } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { formatBytes, Mono } from "../../ui/text.tsx";
import { spanOf } from "./uptime.ts";

/** The limits of this gateway. */
export function LimitTable({ limits }: { readonly limits: Readonly<Record<string, number>> }) {
  const rows = Object.entries(limits).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return (
    <Panel title="Limits">
      <details className="text-sm">
        <summary className="px-4 py-3">Show all {rows.length} limits</summary>
        <Table
          label="All limits"
          rows={rows}
          keyOf={([name]) => name}
          columns={[
            { title: "Limit", show: ([name]) => <Mono className="break-all">{name}</Mono> },
            {
              title: "Value",
              show: ([name, value]) => <span className="tabular-nums">{shown(name, value)}</span>,
            },
          ]}
        />
      </details>
    </Panel>
  );
}

function shown(name: string, value: number): string {
  if (/(bytes|memory)$/i.test(name)) return formatBytes(value);
  if (/ms$/i.test(name)) return value < 60_000 ? `${value / 1000} s` : spanOf(value);
  return value.toLocaleString("en");
}
