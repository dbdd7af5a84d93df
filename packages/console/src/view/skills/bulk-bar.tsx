import type { SkillRow } from "@skillhold/protocol/http";
import { Archive, Download, KeyRound, type LucideIcon, Power, PowerOff, Tags, Trash2, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { type Rights, useRights } from "../../api/session.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { count } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { type Act, doAll } from "./bulk-act.ts";
import { BulkGrant } from "./bulk-grant.tsx";
import { BulkTag } from "./bulk-tag.tsx";

const toggle =
  (enabled: boolean): Act =>
  (id) =>
    call("POST /v1/skills/{id}/toggle", { params: { id }, body: { enabled } });
const setStatus =
  (status: "active" | "archived"): Act =>
  (id) =>
    call("POST /v1/skills/{id}/status", { params: { id }, body: { status } });
const remove: Act = (id) => call("DELETE /v1/skills/{id}", { params: { id } });
const restore: Act = (id) => call("POST /v1/skills/{id}/restore", { params: { id } });

interface Action {
  readonly name: string;
  readonly done: string;
  readonly icon: LucideIcon;
  /** The right that the user needs on each skill. */
  readonly right: keyof Rights;
  /** Whether the action changes the skill; undo applies only to changed skills. */
  readonly fits: (row: SkillRow) => boolean;
  readonly act: Act;
  readonly undo: Act;
}

/** Actions on several skills at once; each one can be undone. */
const actions: readonly Action[] = [
  {
    name: "Enable",
    done: "enabled",
    icon: Power,
    right: "switches",
    fits: ({ registry, access }) => !(registry?.enabled ?? access.reason !== "disabled"),
    act: toggle(true),
    undo: toggle(false),
  },
  {
    name: "Disable",
    done: "disabled",
    icon: PowerOff,
    right: "switches",
    fits: ({ registry, access }) => registry?.enabled ?? access.reason !== "disabled",
    act: toggle(false),
    undo: toggle(true),
  },
  {
    name: "Archive",
    done: "archived",
    icon: Archive,
    right: "manages",
    fits: ({ registry }) => registry?.status !== "archived",
    act: setStatus("archived"),
    undo: setStatus("active"),
  },
  {
    name: "Delete",
    done: "deleted",
    icon: Trash2,
    right: "manages",
    fits: () => true,
    act: remove,
    undo: restore,
  },
];

export function BulkBar({
  rows,
  onDone,
}: {
  readonly rows: readonly SkillRow[];
  readonly onDone: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [dialog, setDialog] = useState<"grant" | "tag">();
  const rights = useRights();
  if (rows.length === 0) return null;
  const allowed = actions.filter(({ right }) => rows.every(({ registry }) => rights[right](registry)));
  const run = async ({ act, undo, done, fits }: Action) => {
    setBusy(true);
    const good = await doAll(
      rows.filter(fits).map(({ entry }) => entry.id),
      act,
    );
    setBusy(false);
    if (!rows.some(fits)) toast(`Already ${done}`, { tone: "info" });
    else if (good.length > 0)
      toast(`${count(good.length, "skill")} ${done}`, { undo: () => void doAll(good, undo) });
    onDone();
  };
  const save = async () => {
    setBusy(true);
    try {
      const skills = rows.map(({ entry }) => entry.id).join(",");
      saveFile(await call("GET /v1/export", { query: { skills } }), "skills.zip");
    } catch (error) {
      toastFailure(error);
    }
    setBusy(false);
  };
  const canManage = rows.every(({ registry }) => rights.manages(registry));
  const close = () => setDialog(undefined);
  const finish = () => {
    close();
    onDone();
  };
  const shared = { rows, onClose: close, onDone: finish };
  return (
    <div
      role="toolbar"
      aria-label="Selected skills"
      className="sticky bottom-4 z-20 mx-auto my-3 flex w-fit max-w-full flex-wrap items-center gap-1.5 rounded-lg border border-line-strong bg-panel px-3 py-2 shadow-pop"
    >
      <span className="text-sm font-medium tabular-nums">{rows.length} selected</span>
      {allowed.map((action) => (
        <Button key={action.name} icon={action.icon} isBusy={isBusy} onClick={() => void run(action)}>
          {action.name}
        </Button>
      ))}
      {canManage && (
        <>
          <Button icon={KeyRound} disabled={isBusy} onClick={() => setDialog("grant")}>
            Grant
          </Button>
          <Button icon={Tags} disabled={isBusy} onClick={() => setDialog("tag")}>
            Tag
          </Button>
        </>
      )}
      {rows.every(({ registry }) => registry !== undefined) && (
        <Button icon={Download} isBusy={isBusy} onClick={() => void save()}>
          Export
        </Button>
      )}
      <IconButton icon={X} label="Clear selection" onClick={onDone} />
      {dialog === "grant" && <BulkGrant {...shared} />}
      {dialog === "tag" && <BulkTag {...shared} />}
    </div>
  );
}
