import { classNames } from "./class-names.ts";

export interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly unit: string;
}

/** How much of something is used up. */
export function Meter({ label, value, max, unit }: MeterProps) {
  const part = Math.min(1, value / Math.max(1, max));
  return (
    <div className="space-y-1">
      <div className="flex justify-between text-xs">
        <span className="text-muted">{label}</span>
        <span className="tabular-nums">
          {value.toLocaleString("en")} of {max.toLocaleString("en")} {unit}
        </span>
      </div>
      <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-raised">
        <div
          className={classNames("h-full rounded-full", part > 0.9 ? "bg-warn" : "bg-accent")}
          style={{ width: `${part * 100}%` }}
        />
      </div>
    </div>
  );
}
