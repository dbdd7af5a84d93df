import { Code, Eye, TriangleAlert } from "lucide-react";
import { Suspense } from "react";
import { Link } from "wouter";
import { part } from "../../../renewal.ts";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../../ui/state.tsx";
import { useAddress } from "../../../ui/use-address.ts";
import { CodeView } from "../files/code-view.tsx";
import type { SkillProps } from "../skill-view.ts";
import { useText } from "../use-text.ts";
import { Frontmatter } from "./frontmatter.tsx";
import { warningsOf } from "./warning.ts";

const Markdown = part(async () => (await import("./markdown.tsx")).Markdown);

/** More than this is shown as it is written: rendering it would hold the page up. */
const MOST_RENDERED = 200_000;

/** The instructions that an agent receives when it loads the skill. */
export function Overview({ skill }: SkillProps) {
  const [read, write] = useAddress();
  const isLong = skill.body.length > MOST_RENDERED;
  const isRaw = read("raw") === "true" || isLong;
  const file = skill.files.find(({ role }) => role === "instructions");
  return (
    <div className="grid items-start lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">
        <Warnings skill={skill} />
        <Panel
          title={file?.path ?? "SKILL.md"}
          actions={
            <Button
              look="quiet"
              icon={isRaw ? Eye : Code}
              disabled={isLong}
              onClick={() => write("raw", isRaw ? "" : "true")}
            >
              {isRaw ? "Rendered" : "Raw"}
            </Button>
          }
        >
          {isRaw && file !== undefined ? (
            <RawText skill={skill} />
          ) : (
            <Suspense fallback={<SkeletonRows count={3} />}>
              <div className="px-4 py-4">
                <Markdown id={skill.entry.id} text={skill.body} />
              </div>
            </Suspense>
          )}
        </Panel>
      </div>
      <Frontmatter values={skill.frontmatter} />
    </div>
  );
}

function RawText({ skill }: SkillProps) {
  const file = skill.files.find(({ role }) => role === "instructions");
  if (file === undefined) return null;
  return <RawFile id={skill.entry.id} file={file} revision={skill.entry.revision} />;
}

function RawFile(place: Parameters<typeof useText>[0]) {
  const { data, error, retry } = useText(place);
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <SkeletonRows count={3} />;
  return <CodeView path={place.file.path} text={data.text ?? ""} />;
}

function Warnings({ skill }: SkillProps) {
  const warnings = warningsOf(skill);
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="mx-4 mb-4 rounded-lg border border-line bg-warn-soft px-4 py-3">
      <ul className="space-y-1.5 text-sm">
        {warnings.map(({ text, tab }) => (
          <li key={text} className="flex items-start gap-2">
            <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
            <span className="min-w-0 break-words">
              {text}{" "}
              {tab !== undefined && (
                <Link href={`/skills/${skill.entry.id}/${tab}`} className="underline underline-offset-2">
                  See {tab}
                </Link>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
