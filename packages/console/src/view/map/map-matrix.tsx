import { memo } from "react";
import { Link } from "wouter";
import { classNames } from "../../ui/class-names.ts";
import { type Cell, fits, type Relation, type SkillMap, type SkillMapRow, textOf } from "./skill-map.ts";

export interface MapViewProps {
  readonly map: SkillMap;
  readonly relation: Relation;
}

/** Skills as rows and agents as columns. A ring is access, a filled dot is use, and a large dot is much use. */
export function MapMatrix({ map: { agents, rows }, relation }: MapViewProps) {
  return (
    <>
      <Legend />
      <section
        aria-label="Agents and skills"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        tabIndex={0}
        className="relative max-h-[75dvh] overflow-auto"
      >
        <table className="border-separate border-spacing-0 text-sm">
          <caption className="sr-only">Skills by row and agents by column</caption>
          <thead>
            <tr>
              <th
                scope="col"
                className="sticky top-0 left-0 z-20 min-w-36 border-r border-b border-line bg-panel px-4 py-2 text-left align-bottom text-xs font-medium text-muted"
              >
                Skill
              </th>
              {agents.map(({ key, displayName }) => (
                <th
                  key={key}
                  scope="col"
                  className="sticky top-0 z-10 h-32 border-b border-line bg-panel px-1 pb-2 align-bottom font-medium"
                >
                  <Link
                    href={`/agents/${encodeURIComponent(key)}`}
                    title={key}
                    className="inline-block max-h-28 rotate-180 truncate text-xs [writing-mode:vertical-rl] hover:underline"
                  >
                    {displayName}
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <MatrixRow key={row.skill} row={row} relation={relation} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

const MatrixRow = memo(function MatrixRow({
  row: { skill, cells },
  relation,
}: {
  readonly row: SkillMapRow;
  readonly relation: Relation;
}) {
  return (
    <tr className="group hover:bg-raised">
      <th
        scope="row"
        className="sticky left-0 max-w-36 truncate border-r border-b border-line bg-panel group-hover:bg-raised px-4 py-1 text-left font-normal sm:max-w-72"
      >
        <Link href={`/skills/${encodeURIComponent(skill)}`} title={skill} className="hover:underline">
          {skill}
        </Link>
      </th>
      {cells.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells keep the order of the agents.
        <td key={at} title={textOf(cell)} className="border-b border-line px-1.5 text-center">
          <Mark cell={cell} isFaint={!fits(cell, relation)} />
          <span className="sr-only">{textOf(cell)}</span>
        </td>
      ))}
    </tr>
  );
});

const MANY_USES = 20;

function Mark({ cell, isFaint }: { readonly cell: Cell; readonly isFaint: boolean }) {
  const { mayUse, uses } = cell;
  if (!mayUse && uses === 0) return null;
  const look =
    uses === 0
      ? "size-3 border-2 border-muted"
      : classNames(uses >= MANY_USES ? "size-4" : "size-3", mayUse ? "bg-accent" : "bg-warn");
  return (
    <span
      aria-hidden
      className={classNames("inline-block rounded-full align-middle", look, isFaint && "opacity-20")}
    />
  );
}

const legend: readonly (readonly [Cell, string])[] = [
  [{ mayUse: true, uses: 0 }, "may use"],
  [{ mayUse: true, uses: 1 }, "used"],
  [{ mayUse: true, uses: MANY_USES }, `used ${MANY_USES} times or more`],
  [{ mayUse: false, uses: 1 }, "used, no longer allowed"],
];

function Legend() {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-5 gap-y-1 border-b border-line px-4 py-2 text-xs">
      {legend.map(([cell, text]) => (
        <li key={text} className="flex items-center gap-1.5">
          <Mark cell={cell} isFaint={false} /> {text}
        </li>
      ))}
    </ul>
  );
}
