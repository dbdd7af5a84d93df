import type { DeliveryState } from "@skillhold/protocol";
import { Badge, type Tone } from "../../ui/badge.tsx";

const tones: Readonly<Record<DeliveryState, Tone>> = { pending: "info", delivered: "good", failed: "bad" };

export interface DeliveryBadgeProps {
  readonly state: DeliveryState;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}

/** The state of a notification, with the status of the last response. */
export function DeliveryBadge({ state, status, error }: DeliveryBadgeProps) {
  return (
    <Badge tone={tones[state]} title={error}>
      {status === undefined ? state : `${state} ${status}`}
    </Badge>
  );
}
