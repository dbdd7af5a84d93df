import { Download } from "lucide-react";
import { Link } from "wouter";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { count, Mono } from "../../ui/text.tsx";
import type { Lack } from "./lack.ts";
import type { Installs } from "./use-installs.ts";

const titles: Readonly<Record<string, string>> = {
  pip: "Python packages (pip)",
  npm: "Node packages (npm)",
  system: "System packages",
};

export interface LackPanelProps {
  readonly lacks: readonly Lack[];
  readonly installs: Installs;
  readonly isAdmin: boolean;
}

/** All missing dependencies, grouped by package manager. */
export function LackPanel({ lacks, installs, isAdmin }: LackPanelProps) {
  const groups = [...Map.groupBy(lacks, ({ manager }) => manager)];
  return groups.map(([manager, members]) => (
    <Panel key={manager} title={titles[manager] ?? manager}>
      <ul className="divide-y divide-line">
        {members.map((lack) => (
          <LackRow key={lack.need} lack={lack} installs={installs} isAdmin={isAdmin} />
        ))}
      </ul>
    </Panel>
  ));
}

function LackRow({
  lack,
  installs,
  isAdmin,
}: {
  readonly lack: Lack;
  readonly installs: Installs;
  readonly isAdmin: boolean;
}) {
  const isRunning = lack.skills.some((skill) => installs.running.has(`${skill} ${lack.need}`));
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <Mono className="font-medium break-all">{lack.name}</Mono>
      <span className="min-w-0 flex-1 basis-40 text-muted">
        needed by{" "}
        {lack.skills.map((skill, at) => (
          <span key={skill}>
            {at > 0 && ", "}
            <Link href={`/skills/${skill}/dependencies`} className="hover:text-ink hover:underline">
              {skill}
            </Link>
          </span>
        ))}
      </span>
      {isAdmin && (
        <Button
          icon={Download}
          isBusy={isRunning}
          disabled={installs.isBusy}
          aria-label={`${isRunning ? "Installing" : "Install"} ${lack.need} for ${count(lack.skills.length, "skill")}`}
          onClick={() => installs.one(lack)}
        >
          {isRunning ? "Installing" : "Install"}
        </Button>
      )}
    </li>
  );
}
