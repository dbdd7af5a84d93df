import { Upload } from "lucide-react";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import { DropZone } from "./drop-zone.tsx";
import { type Parcel, publishable } from "./parcel.ts";
import { ParcelCard } from "./parcel-card.tsx";
import { addParcels, clearParcels, publishAll, useParcels } from "./parcel-store.ts";

/** Publishes dropped skills: the browser and the gateway check them, and the user confirms. */
export function Publish() {
  const { data, error, isPending, refetch } = useApi("GET /v1/status");
  const parcels = useParcels();
  return (
    <Page
      title="Publish"
      about="Skills are checked in your browser, then by the gateway. Nothing is published until you confirm."
      actions={parcels.length > 0 ? <AllActions /> : undefined}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={2} />}
      {data !== undefined && (
        <DropZone
          limits={data.limits}
          onDrop={(dropped) => addParcels(dropped, data.limits)}
          onFailure={toastFailure}
        />
      )}
      {parcels.map((parcel, at) => (
        <ParcelCard key={parcel.key} parcel={parcel} label={labelOf(parcel, parcels.slice(0, at))} />
      ))}
    </Page>
  );
}

function AllActions() {
  const parcels = useParcels();
  const ready = parcels.filter((parcel) => publishable(parcel) > 0);
  const number = ready.reduce((sum, parcel) => sum + publishable(parcel), 0);
  return (
    <>
      <Button look="quiet" onClick={clearParcels}>
        Clear all
      </Button>
      {ready.length > 1 && (
        <Button look="primary" icon={Upload} onClick={publishAll}>
          Publish all {count(number, "skill")}
        </Button>
      )}
    </>
  );
}

/** The parcel's label; a number distinguishes parcels with the same name. */
function labelOf({ name }: Parcel, before: readonly Parcel[]): string {
  const same = before.filter((each) => each.name === name).length;
  return same === 0 ? name : `${name} (${same + 1})`;
}
