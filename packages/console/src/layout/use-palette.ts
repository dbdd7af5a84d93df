import { useMemo } from "react";
import { useLocation } from "wouter";
import { recent } from "../api/recent.ts";
import { useCanPublish, useIsAdmin, useMe, useRights } from "../api/session.tsx";
import { useSignOut } from "../api/sign-out.ts";
import { useApi } from "../api/use-api.ts";
import { useSkills } from "../api/use-skills.ts";
import { chooseTheme, themes, useTheme } from "../theme/theme.ts";
import { switchSkill } from "../ui/switch-skill.ts";
import { toastFailure } from "../ui/toast.tsx";
import { fitting, type PaletteItem, skillActions, skillItems } from "./palette-item.ts";
import { views } from "./view-table.ts";

/** The palette items that match the words and are available to the signed-in user. */
export function usePalette(words: string): readonly PaletteItem[] {
  const [, go] = useLocation();
  const { role } = useMe();
  const { data: rows } = useSkills();
  const actions = useActions();
  const skills = useMemo(() => skillItems(rows ?? [], recent.read(), go), [rows, go]);
  const places = views
    .filter(({ roles }) => roles.includes(role))
    .map(({ name, href, key }) => ({
      ...{ id: `view ${href}`, group: "Views" as const, name, note: `g ${key}` },
      run: () => go(href),
    }));
  const rights = useRights();
  const own = skillActions(rows ?? [], words, {
    open: go,
    canSwitch: ({ registry }) => rights.switches(registry),
    toggle: (id, enabled) => void switchSkill(id, enabled),
  });
  const all = [...actions, ...places, ...skills, ...usePrincipals(), ...useSessions(), ...own];
  return fitting(all, words);
}

const SESSIONS = "200";

/** The latest sessions, by task, agent, user and id; only administrators may list them. */
function useSessions(): readonly PaletteItem[] {
  const [, go] = useLocation();
  const isAdmin = useIsAdmin();
  const query = { type: "session.opened", order: "newest", limit: SESSIONS } as const;
  const { data } = useApi("GET /v1/audit", { query }, { enabled: isAdmin, keep: true });
  return (data?.events ?? []).flatMap(({ event }) => {
    if (event.type !== "session.opened") return [];
    const { session, task, agent, user, runtime } = event;
    const name = task ?? `Session ${session.slice(0, 8)}`;
    const note = [agent ?? user, runtime, session].filter((each) => each !== undefined).join(", ");
    const run = () => go(`/activity/${encodeURIComponent(session)}`);
    return [{ id: `session ${session}`, group: "Sessions" as const, name, note, run }];
  });
}

/** Agents, and for administrators the people. */
function usePrincipals(): readonly PaletteItem[] {
  const [, go] = useLocation();
  const canPublish = useCanPublish();
  const isAdmin = useIsAdmin();
  const { data: agents } = useApi("GET /v1/agents", undefined, { enabled: canPublish });
  const { data: users } = useApi("GET /v1/users", undefined, { enabled: isAdmin });
  return [
    ...(agents?.agents ?? []).map(({ key, displayName, runtime }) => ({
      ...{ id: `agent ${key}`, group: "Agents" as const, name: displayName, note: `${key}, ${runtime}` },
      run: () => go(`/agents/${encodeURIComponent(key)}`),
    })),
    ...(users?.users ?? [])
      .filter(({ name }) => !name.startsWith("agent:"))
      .map(({ name }) => ({
        ...{ id: `person ${name}`, group: "People" as const, name, note: "Person" },
        run: () => go("/people"),
      })),
  ];
}

function useActions(): readonly PaletteItem[] {
  const [, go] = useLocation();
  const theme = useTheme();
  const { leave } = useSignOut();
  const canPublish = useCanPublish();
  const isAdmin = useIsAdmin();
  const action = (name: string, note: string, run: () => void): PaletteItem => ({
    ...{ id: `action ${name}`, group: "Actions", name, note, run },
  });
  const looks = themes
    .filter((each) => each !== theme)
    .map((each) => action(`Use the ${each} theme`, "Appearance", () => chooseTheme(each)));
  return [
    ...(canPublish
      ? [
          action("Publish a skill", "From a folder or an archive", () => go("/publish")),
          action("New agent", "Create an agent", () => go("/agents?new")),
        ]
      : []),
    action("New token", "For a program or agent", () => go("/tokens?new")),
    ...(isAdmin ? [action("Invite a person", "By a sign-in link", () => go("/people?invite"))] : []),
    ...looks,
    action("Sign out", "End this session", () => void leave().catch(toastFailure)),
  ];
}
