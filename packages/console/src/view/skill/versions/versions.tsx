import { GitCompare, History } from "lucide-react";
import { Suspense } from "react";
import { useRights } from "../../../api/session.tsx";
import { useApi } from "../../../api/use-api.ts";
import { part } from "../../../renewal.ts";
import { Select } from "../../../ui/field.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { useAddress } from "../../../ui/use-address.ts";
import { revisionOf } from "../files/file-address.ts";
import type { SkillProps } from "../skill-view.ts";
import { defaultPair, type Version } from "./version.ts";
import { VersionList } from "./version-list.tsx";

const Compare = part(async () => (await import("./compare.tsx")).Compare);

/** The revisions of a skill, the changes between two of them, and the rollback. */
export function Versions({ skill }: SkillProps) {
  const { id } = skill.entry;
  const canManage = useRights().manages(skill.registry);
  const { data, error, refetch } = useApi("GET /v1/skills/{id}/versions", { params: { id } });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows count={4} />;
  if (data.versions.length === 0)
    return (
      <Empty icon={History} title="No revisions">
        Only those who can use or manage the skill see its revisions.
      </Empty>
    );
  return (
    <>
      <Panel title="Revisions">
        <VersionList id={id} versions={data.versions} canManage={canManage} />
      </Panel>
      <Comparison id={id} versions={data.versions} />
    </>
  );
}

interface ComparisonProps {
  readonly id: string;
  readonly versions: readonly Version[];
}

function Comparison({ id, versions }: ComparisonProps) {
  const [read, write] = useAddress();
  const usual = defaultPair(versions);
  const from = revisionOf(read("from")) ?? usual?.from;
  const to = revisionOf(read("to")) ?? usual?.to;
  if (from === undefined || to === undefined)
    return (
      <Panel title="Compare">
        <Empty icon={GitCompare} title="Nothing to compare yet">
          There is only one revision so far.
        </Empty>
      </Panel>
    );
  return (
    <Panel title="Compare">
      <div className="flex min-w-0 items-center gap-2 border-b border-line px-4 py-2">
        <Choose label="From" value={from} versions={versions} onChoose={(text) => write("from", text)} />
        <span className="text-sm text-muted">to</span>
        <Choose label="To" value={to} versions={versions} onChoose={(text) => write("to", text)} />
      </div>
      <Suspense fallback={<SkeletonRows count={3} />}>
        <Compare id={id} from={from} to={to} />
      </Suspense>
    </Panel>
  );
}

interface ChooseProps {
  readonly label: string;
  readonly value: number;
  readonly versions: readonly Version[];
  readonly onChoose: (text: string) => void;
}

function Choose({ label, value, versions, onChoose }: ChooseProps) {
  return (
    <Select
      aria-label={label}
      value={String(value)}
      onChange={({ target }) => onChoose(target.value)}
      className="min-w-0 sm:w-56!"
    >
      {versions.map(({ revision, version, purgedAt }) => (
        <option key={revision} value={revision} disabled={purgedAt !== undefined}>
          r{revision}
          {version === undefined ? "" : ` (${version})`}
        </option>
      ))}
    </Select>
  );
}
