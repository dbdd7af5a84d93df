import type { SkillRow } from "@skillhold/protocol/http";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { useRights } from "../../api/session.tsx";
import { switchSkill } from "../../ui/switch-skill.ts";
import { BulkBar } from "./bulk-bar.tsx";
import type { Ranks } from "./skill-filter.ts";
import { SkillListRow } from "./skill-row.tsx";
import { useRowKeys } from "./use-row-keys.ts";

const ROW_PX = 62;

/** The skills, of which only those that are seen are there. */
export function SkillList({ rows, ranks }: { readonly rows: readonly SkillRow[]; readonly ranks: Ranks }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [, go] = useLocation();
  const place = useRef<HTMLDivElement>(null);
  const rights = useRights();
  const canDo = ({ registry }: SkillRow) => rights.manages(registry) || rights.switches(registry);
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: place.current?.offsetTop ?? 0,
  });
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const current = useRowKeys(rows.length, {
    onMove: (at) => list.scrollToIndex(at, { align: "auto" }),
    onOpen: (at) => go(`/skills/${rows[at]?.entry.id}`),
    onChoose: (at) => {
      const row = rows[at];
      if (row !== undefined && canDo(row)) choose(row.entry.id, !chosen.has(row.entry.id));
    },
  });
  const selected = rows.filter(({ entry }) => chosen.has(entry.id));
  return (
    <>
      <div ref={place} style={{ height: list.getTotalSize(), position: "relative" }}>
        {list.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { id } = row.entry;
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - list.options.scrollMargin}px)` }}
            >
              <SkillListRow
                row={row}
                isCurrent={current === index}
                isChosen={chosen.has(id)}
                score={ranks.scores.get(id)}
                uses={ranks.uses.get(id) ?? 0}
                onChoose={canDo(row) ? (isChosen) => choose(id, isChosen) : undefined}
                onToggle={
                  rights.switches(row.registry) ? (enabled) => void switchSkill(id, enabled) : undefined
                }
              />
            </div>
          );
        })}
      </div>
      <BulkBar rows={selected} onDone={() => setChosen(new Set())} />
    </>
  );
}
