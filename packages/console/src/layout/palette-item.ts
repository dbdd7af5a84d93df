import type { SkillRow } from "@skillhold/protocol/http";

/** Something to choose in the palette. */
export interface PaletteItem {
  readonly id: string;
  readonly group:
    | "Recent"
    | "Actions"
    | "Views"
    | "Skills"
    | "Agents"
    | "People"
    | "Sessions"
    | "Skill actions";
  readonly name: string;
  readonly note: string;
  readonly run: () => void;
}

const MOST = 40;
const order = [
  "Recent",
  "Actions",
  "Views",
  "Skills",
  "Agents",
  "People",
  "Sessions",
  "Skill actions",
] as const;

/** The items that match the words, ordered by rank: name prefix, then name, then note; then by group. */
export function fitting(items: readonly PaletteItem[], words: string): readonly PaletteItem[] {
  const wanted = words.trim().toLowerCase();
  const ranked = items
    .map((item) => ({ item, rank: rankOf(item, wanted), group: order.indexOf(item.group) }))
    .filter(({ rank }) => rank < NONE)
    .toSorted((a, b) => a.rank - b.rank || a.group - b.group);
  return withoutTwins(ranked.map(({ item }) => item)).slice(0, MOST);
}

const NONE = 3;

function rankOf({ name, note }: PaletteItem, wanted: string): number {
  const shown = name.toLowerCase();
  if (shown.startsWith(wanted)) return 0;
  if (shown.includes(wanted)) return 1;
  return note.toLowerCase().includes(wanted) ? 2 : NONE;
}

/** A skill that was looked at lately is there once. */
function withoutTwins(items: readonly PaletteItem[]): readonly PaletteItem[] {
  return items.filter(({ id }, at) => items.findIndex((item) => item.id === id) === at);
}

/** Skills to go to, those of late first. */
export function skillItems(
  rows: readonly SkillRow[],
  recent: readonly string[],
  open: (href: string) => void,
): readonly PaletteItem[] {
  const items = new Map(
    rows.map(({ entry }) => [
      entry.id as string,
      {
        id: `skill ${entry.id}`,
        group: "Skills" as const,
        name: entry.id as string,
        note: entry.description,
        run: () => open(`/skills/${entry.id}`),
      },
    ]),
  );
  const late = recent
    .flatMap((id) => items.get(id) ?? [])
    .map((item) => ({ ...item, group: "Recent" as const }));
  return [...late, ...items.values()];
}

/** The rights that decide which actions a skill has. */
export interface SkillActs {
  readonly open: (href: string) => void;
  readonly canSwitch: (row: SkillRow) => boolean;
  readonly toggle: (id: string, enabled: boolean) => void;
}

const places = { Files: "files", Versions: "versions", Access: "access", Activity: "activity" } as const;

/** The actions on a skill, once words are typed; without words they would hide everything else. */
export function skillActions(
  rows: readonly SkillRow[],
  words: string,
  { open, canSwitch, toggle }: SkillActs,
): readonly PaletteItem[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  return rows.flatMap((row): readonly PaletteItem[] => {
    const { entry, registry } = row;
    const item = (name: string, run: () => void): PaletteItem => ({
      ...{
        id: `${name} ${entry.id}`,
        group: "Skill actions",
        name: `${name} ${entry.id}`,
        note: entry.name,
        run,
      },
    });
    const isOn = registry?.enabled ?? row.access.reason !== "disabled";
    const isPublished = registry !== undefined;
    return [
      ...(canSwitch(row) ? [item(isOn ? "Disable" : "Enable", () => toggle(entry.id, !isOn))] : []),
      ...Object.entries(places)
        .filter(([, tab]) => isPublished || (tab !== "versions" && tab !== "access"))
        .map(([name, tab]) => item(`${name} of`, () => open(`/skills/${entry.id}/${tab}`))),
    ];
  });
}
