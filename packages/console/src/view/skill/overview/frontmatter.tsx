import { Panel } from "../../../ui/page.tsx";
import { Mono } from "../../../ui/text.tsx";
import type { SkillDetail } from "../skill-view.ts";

type Value = SkillDetail["frontmatter"][string];

/** The frontmatter of SKILL.md. */
export function Frontmatter({ values }: { readonly values: SkillDetail["frontmatter"] }) {
  const fields = Object.entries(values);
  return (
    <Panel title="Frontmatter">
      {fields.length === 0 && <p className="px-4 py-3 text-sm text-muted">None.</p>}
      <dl className="divide-y divide-line">
        {fields.map(([field, value]) => (
          <div key={field} className="min-w-0 px-4 py-2">
            <dt className="text-xs text-muted">
              <Mono>{field}</Mono>
            </dt>
            <dd className="max-h-48 overflow-y-auto text-sm break-words whitespace-pre-wrap">
              <FieldValue value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

export function FieldValue({ value }: { readonly value: Value }) {
  if (typeof value === "string") return value;
  return <Mono className="break-all">{JSON.stringify(value, undefined, 2)}</Mono>;
}
