import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../../ui/button.tsx";
import type { MapViewProps } from "./map-matrix.tsx";
import { fits } from "./skill-map.ts";

const STEP = 200;

/** The same pairs as lines, for screen readers and for copying. */
export function MapTable({ map: { agents, rows }, relation }: MapViewProps) {
  const [most, setMost] = useState(STEP);
  const pairs = agents.flatMap(({ key, displayName }, at) =>
    rows.flatMap(({ skill, cells }) => {
      const cell = cells[at];
      return cell !== undefined && fits(cell, relation) ? [{ key, displayName, skill, ...cell }] : [];
    }),
  );
  return (
    <>
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <caption className="sr-only">Pairs of an agent and a skill</caption>
          <thead>
            <tr className="border-b border-line text-left text-xs text-muted [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
              <th scope="col">Agent</th>
              <th scope="col">Skill</th>
              <th scope="col">May use</th>
              <th scope="col" className="text-right">
                Uses
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {pairs.slice(0, most).map(({ key, displayName, skill, mayUse, uses }) => (
              <tr key={`${key} ${skill}`} className="[&>td]:px-4 [&>td]:py-1.5">
                <td>
                  <Link href={`/agents/${encodeURIComponent(key)}`} className="hover:underline">
                    {displayName}
                  </Link>
                </td>
                <td>
                  <Link href={`/skills/${encodeURIComponent(skill)}`} className="hover:underline">
                    {skill}
                  </Link>
                </td>
                <td>{mayUse ? "yes" : "no"}</td>
                <td className="text-right tabular-nums">{uses.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pairs.length > most && (
        <div className="flex justify-center border-t border-line p-3">
          <Button look="quiet" onClick={() => setMost(most + STEP)}>
            Show more of {pairs.length.toLocaleString("en")}
          </Button>
        </div>
      )}
    </>
  );
}
