import type { ReactNode } from "react";
import { SafeLink } from "../../../ui/safe-link.tsx";
import { Ago, CopyText } from "../../../ui/text.tsx";
import type { SkillDetail, SkillProps } from "../skill-view.ts";

/** More facts about a skill; unknown ones are omitted. */
export function SkillFacts({ skill }: SkillProps) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
      {listFacts(skill).map(([name, value]) => (
        <div key={name} className="max-w-full min-w-0">
          <dt className="text-xs text-faint">{name}</dt>
          <dd className="flex min-h-5 max-w-full items-center break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function listFacts({ entry, registry, treeHash }: SkillDetail): readonly (readonly [string, ReactNode])[] {
  const facts: readonly (readonly [string, ReactNode | undefined])[] = [
    ["Version", entry.version],
    ["Revision", entry.revision === undefined ? undefined : `r${entry.revision}`],
    ["Content", <CopyText key="hash" text={treeHash} label="content hash" isShort />],
    ["Owner", registry?.owner],
    ["Author", entry.author],
    ["Homepage", entry.homepage === undefined ? undefined : <SafeLink key="page" href={entry.homepage} />],
    ["License", entry.license],
    ["Compatibility", entry.compatibility],
    ["Tokens", <Cost key="cost" entry={entry} />],
    ["Changed", <Ago key="ago" at={registry?.updatedAt ?? entry.lastModified} />],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]]));
}

const CHARACTERS_A_TOKEN = 4;

/** The context cost of a skill: its catalogue line always, its instructions only once loaded. */
function Cost({ entry }: { readonly entry: SkillDetail["entry"] }) {
  const line = Math.ceil((entry.id.length + entry.description.length) / CHARACTERS_A_TOKEN);
  return (
    <span
      className="tabular-nums"
      title="Approximate tokens: its line in the catalogue, and its instructions once loaded"
    >
      {line.toLocaleString("en")} listed, {entry.bodyTokens.toLocaleString("en")} loaded
    </span>
  );
}
