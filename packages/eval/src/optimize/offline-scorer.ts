import { type MemorySkill, openMemoryLibrary, type Viewer } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { withDescription } from "@skillhold/skill";
import { fires, rankOffline } from "../trigger/offline.ts";
import type { Scorer } from "./optimizer.ts";

export interface OfflineScorerOptions {
  /** Every skill of the catalogue, as its SKILL.md alone. */
  readonly skills: ReadonlyMap<string, string>;
  readonly viewer: Viewer;
  /** A query fires when the skill ranks first with at least this margin. */
  readonly margin: number;
}

/** Scores descriptions by Skillhold's own search: free and repeatable, good for positives and weak for negatives. */
export function offlineScorer({ skills, viewer, margin }: OfflineScorerOptions): Scorer {
  const host = nodeHost({ env: {}, platform: process.platform, cwd: "/" });
  const base = [...skills].map(([folder, text]): MemorySkill => ({ folder, files: { "SKILL.md": text } }));
  return {
    score: async (skill, queries, descriptions) => {
      const changed = base.map((each): MemorySkill => {
        const description = descriptions[each.folder];
        const text = skills.get(each.folder);
        if (description === undefined || text === undefined) return each;
        return { folder: each.folder, files: { "SKILL.md": withDescription(text, description) } };
      });
      const library = openMemoryLibrary(changed, { host });
      try {
        const scores: number[] = [];
        for (const { query, shouldTrigger } of queries) {
          const isFired = fires(await rankOffline(query, skill, { library, viewer }), margin);
          scores.push(isFired === shouldTrigger ? 1 : 0);
        }
        return scores;
      } finally {
        await library.close();
      }
    },
  };
}
