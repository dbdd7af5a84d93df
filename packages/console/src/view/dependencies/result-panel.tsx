import { Badge, type Tone } from "../../ui/badge.tsx";
import { Panel } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Mono } from "../../ui/text.tsx";
import type { InstallResult } from "./use-installs.ts";

const words: Readonly<Record<InstallResult["status"], readonly [string, Tone]>> = {
  ok: ["installed", "good"],
  skipped: ["already there", "neutral"],
  manual: ["manual", "warn"],
  failed: ["failed", "bad"],
};

const columns: readonly Column<InstallResult>[] = [
  { title: "What", show: ({ spec }) => <Mono className="break-all">{spec}</Mono> },
  { title: "For", show: ({ skill }) => skill },
  {
    title: "Result",
    show: ({ status }) => <Badge tone={words[status][1]}>{words[status][0]}</Badge>,
  },
  { title: "Reason", show: ({ message }) => <span className="break-words">{message}</span> },
];

/** The result of each requested install. */
export function ResultPanel({ results }: { readonly results: readonly InstallResult[] }) {
  if (results.length === 0) return null;
  return (
    <Panel title="Results">
      <Table
        label="Results"
        columns={columns}
        rows={results}
        keyOf={({ skill, spec }) => `${skill} ${spec}`}
      />
    </Panel>
  );
}
