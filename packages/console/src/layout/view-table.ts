import type { Role } from "@skillhold/protocol";
import {
  Activity,
  Blocks,
  Bot,
  Code,
  Download,
  FileUp,
  GitPullRequest,
  Grid3x3,
  House,
  Inbox,
  KeyRound,
  LayoutList,
  type LucideIcon,
  Network,
  PackageOpen,
  Plug,
  ScanSearch,
  Settings,
  Users,
  Waypoints,
  Webhook,
} from "lucide-react";

/** One view of the console: its address and the roles that may use it. */
export interface View {
  readonly name: string;
  readonly href: string;
  readonly icon: LucideIcon;
  readonly group: "Skills" | "Run" | "Team";
  readonly roles: readonly Role[];
  /** The key that opens the view after `g`. */
  readonly key: string;
}

const people: readonly Role[] = ["admin", "publisher", "viewer"];
const publishers: readonly Role[] = ["admin", "publisher"];
const admins: readonly Role[] = ["admin"];

/** The view that an address is of, in small letters or large, as routes take it; undefined for one that there is not. */
export function viewAt(place: string): View | undefined {
  const small = place.toLowerCase();
  return views.find(({ href }) => small === href || small.startsWith(`${href}/`));
}

export const views: readonly View[] = [
  { name: "Home", href: "/home", icon: House, group: "Skills", roles: people, key: "h" },
  { name: "Skills", href: "/skills", icon: LayoutList, group: "Skills", roles: people, key: "s" },
  { name: "Publish", href: "/publish", icon: FileUp, group: "Skills", roles: publishers, key: "p" },
  { name: "Install", href: "/install", icon: Download, group: "Skills", roles: publishers, key: "i" },
  { name: "Sources", href: "/sources", icon: Waypoints, group: "Skills", roles: publishers, key: "u" },
  { name: "Catalogue", href: "/catalogue", icon: Blocks, group: "Skills", roles: people, key: "c" },
  { name: "Search", href: "/search", icon: ScanSearch, group: "Skills", roles: people, key: "f" },
  { name: "Proposals", href: "/proposals", icon: GitPullRequest, group: "Run", roles: people, key: "r" },
  { name: "Approvals", href: "/approvals", icon: Inbox, group: "Run", roles: publishers, key: "a" },
  { name: "Activity", href: "/activity", icon: Activity, group: "Run", roles: publishers, key: "y" },
  { name: "Dependencies", href: "/dependencies", icon: PackageOpen, group: "Run", roles: people, key: "d" },
  { name: "Agents", href: "/agents", icon: Bot, group: "Team", roles: publishers, key: "g" },
  { name: "Workspaces", href: "/workspaces", icon: Network, group: "Team", roles: publishers, key: "w" },
  { name: "Map", href: "/map", icon: Grid3x3, group: "Team", roles: publishers, key: "m" },
  { name: "Connect", href: "/connect", icon: Plug, group: "Team", roles: publishers, key: "n" },
  { name: "People", href: "/people", icon: Users, group: "Team", roles: admins, key: "o" },
  { name: "Tokens", href: "/tokens", icon: KeyRound, group: "Team", roles: people, key: "t" },
  { name: "Webhooks", href: "/webhooks", icon: Webhook, group: "Team", roles: admins, key: "b" },
  { name: "API", href: "/api", icon: Code, group: "Team", roles: people, key: "k" },
  { name: "Settings", href: "/settings", icon: Settings, group: "Team", roles: people, key: "e" },
];
