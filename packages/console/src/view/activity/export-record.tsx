import { Download, FileJson, FileSpreadsheet } from "lucide-react";
import { useChange } from "../../api/use-api.ts";
import { MenuItem, Popover } from "../../ui/menu.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { toastFailure } from "../../ui/toast.tsx";
import type { RecordFilter } from "./use-record.ts";

/** Downloads all events that match the filter, not only the loaded ones. */
export function ExportRecord({ filter }: { readonly filter: RecordFilter }) {
  const change = useChange("GET /v1/audit/export");
  const save = (format: "csv" | "jsonl") =>
    change.mutate(
      { query: { ...filter, format } },
      {
        onSuccess: (blob) => saveFile(blob, `activity.${format}`),
        onError: toastFailure,
      },
    );
  return (
    <Popover label={change.isPending ? "Exporting…" : "Export"} icon={Download}>
      <MenuItem icon={FileSpreadsheet} onClick={() => save("csv")}>
        CSV
      </MenuItem>
      <MenuItem icon={FileJson} onClick={() => save("jsonl")}>
        JSON lines
      </MenuItem>
    </Popover>
  );
}
