import { Archive, ArchiveRestore, Download, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useRights } from "../../../api/session.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { MenuItem, Popover } from "../../../ui/menu.tsx";
import type { SkillProps } from "../skill-view.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { downloadSkill, removeSkill, setStatus } from "./skill-change.ts";

/** The actions on a skill as a whole. */
export function SkillMenu({ skill }: SkillProps) {
  const { entry, registry } = skill;
  const [open, setOpen] = useState<"none" | "edit" | "delete">("none");
  const canManage = useRights().manages(registry);
  const [, go] = useLocation();
  const close = () => setOpen("none");
  const isArchived = registry?.status === "archived";
  return (
    <>
      <Popover label="More actions" isIcon>
        <MenuItem icon={Download} onClick={() => void downloadSkill(entry.id, registry?.revision)}>
          Download as ZIP
        </MenuItem>
        {canManage && (
          <>
            <MenuItem icon={Pencil} onClick={() => setOpen("edit")}>
              Edit details
            </MenuItem>
            <MenuItem
              icon={isArchived ? ArchiveRestore : Archive}
              onClick={() => void setStatus(entry.id, isArchived ? "active" : "archived")}
            >
              {isArchived ? "Unarchive" : "Archive"}
            </MenuItem>
            <MenuItem icon={Trash2} isDanger onClick={() => setOpen("delete")}>
              Delete
            </MenuItem>
          </>
        )}
      </Popover>
      <EditDialog id={entry.id} isOpen={open === "edit"} onClose={close} />
      <Confirm
        isOpen={open === "delete"}
        onClose={close}
        onConfirm={() => {
          close();
          void removeSkill(entry.id, () => go("/skills"));
        }}
        title={`Delete ${entry.id}`}
        text="It can no longer be found, loaded or run. You can restore it with all its revisions until it is purged."
        action="Delete"
        word={entry.id}
      />
    </>
  );
}
