import { Blocks } from "lucide-react";
import { Link } from "wouter";
import type { Looking } from "../../api/looking.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Panel } from "../../ui/page.tsx";
import { ScrollText } from "../../ui/scroll-text.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";

export interface CatalogueBlockProps {
  /** The catalogue options. */
  readonly query: Readonly<Record<string, string>>;
  /** The viewpoint; undefined until it is known. */
  readonly looking: (Looking & { readonly runtime?: string }) | undefined;
}

/** The catalogue block as the agent receives it, its cost, and its skills. */
export function CatalogueBlock({ query, looking }: CatalogueBlockProps) {
  const { data, error, isPending, refetch } = useApi(
    "GET /v1/catalogue",
    { query: { ...looking, ...query } },
    { keep: true, enabled: looking !== undefined },
  );
  const { data: status } = useApi("GET /v1/status");
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (isPending) return <SkeletonRows count={4} />;
  const budget = status?.limits["catalogueTokens"];
  return (
    <Panel
      title={`${count(data.inline.length, "skill")} in the prompt`}
      actions={
        <>
          <Badge>{data.format}</Badge>
          {data.text !== "" && <CopyButton text={data.text} label="Copy prompt block" />}
        </>
      }
    >
      {data.text === "" ? (
        <Empty icon={Blocks} title="The prompt block is empty">
          No skill is visible here. See below why.
        </Empty>
      ) : (
        <div className="space-y-4 p-4">
          {budget !== undefined && <Meter label="Budget" value={data.tokens} max={budget} unit="tokens" />}
          <ScrollText label="Prompt block" text={data.text} className="max-h-112" />
          <Names title="In the prompt" ids={data.inline} />
          {data.shortened.length > 0 && <Names title="Shortened descriptions" ids={data.shortened} />}
          {data.deferred > 0 && (
            <>
              <Names title={`${data.deferred} found by search only`} ids={data.leftOut} />
              <p className="text-xs text-muted">
                To keep a skill in the prompt, add it to the <code>pins</code> of the agent manifest.
              </p>
            </>
          )}
        </div>
      )}
    </Panel>
  );
}

const MOST = 200;

function Names({ title, ids }: { readonly title: string; readonly ids: readonly string[] }) {
  return (
    <section aria-label={title} className="space-y-1.5">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      <ul className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto">
        {ids.slice(0, MOST).map((id) => (
          <li key={id}>
            <Link
              href={`/skills/${id}`}
              className="inline-block rounded border border-line px-1.5 font-mono text-xs leading-5 hover:border-line-strong hover:bg-raised"
            >
              {id}
            </Link>
          </li>
        ))}
        {ids.length > MOST && <li className="text-xs text-muted">and {ids.length - MOST} more</li>}
      </ul>
    </section>
  );
}
