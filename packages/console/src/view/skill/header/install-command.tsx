import { Terminal } from "lucide-react";
import { useApi } from "../../../api/use-api.ts";
import { CommandLine } from "../../../ui/command-line.tsx";
import { Popover } from "../../../ui/menu.tsx";
import type { SkillProps } from "../skill-view.ts";
import { installCommands } from "./install-text.ts";

/** The commands that install the skill elsewhere. */
export function InstallCommands({ skill: { entry, registry } }: SkillProps) {
  const { data } = useApi("GET /v1/status");
  const isOpen = data?.isDiscoverable === true && registry?.visibility === "public";
  return (
    <Popover label="Install" icon={Terminal} isWide>
      <dl className="space-y-3 p-2">
        {installCommands(entry.id, window.location.origin, isOpen).map(({ title, line }) => (
          <div key={title} className="min-w-0 space-y-1">
            <dt className="text-xs text-muted">{title}</dt>
            <dd className="min-w-0">
              <CommandLine line={line} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="px-2 pb-2 text-xs text-muted">
        SKILLHOLD_TOKEN is a token for this gateway, issued by an administrator.
      </p>
    </Popover>
  );
}
