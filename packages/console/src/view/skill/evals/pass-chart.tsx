import type { ChartPoint, Interval } from "./eval-figure.ts";
import { percent } from "./eval-figure.ts";

const HEIGHT = 160;
const TOP = 12;
const COLUMN = 72;
const LEFT = 40;
const scale = (share: number) => TOP + (1 - share) * HEIGHT;

/** Pass rates by revision with 95 % intervals. The table below it has the same figures as text. */
export function PassChart({ chart }: { readonly chart: readonly ChartPoint[] }) {
  const width = LEFT + Math.max(3, chart.length) * COLUMN;
  const baselines = [...new Set(chart.map(({ baselineName }) => baselineName))].join(" or ");
  return (
    <figure className="px-4 py-3">
      <svg
        viewBox={`0 0 ${width} ${HEIGHT + 44}`}
        className="max-h-64 w-full"
        role="img"
        aria-label={`Pass rate by revision: ${chart.map(describe).join("; ")}`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share} className="text-muted">
            <line x1={LEFT} x2={width} y1={scale(share)} y2={scale(share)} className="stroke-line" />
            <text x={LEFT - 6} y={scale(share) + 4} textAnchor="end" className="fill-current text-[11px]">
              {share * 100} %
            </text>
          </g>
        ))}
        {chart.map(({ label, withSkill, baseline }, at) => {
          const x = LEFT + at * COLUMN + COLUMN / 2;
          return (
            <g key={label}>
              {baseline !== undefined && <Point x={x + 9} interval={baseline} color="text-muted" />}
              <Point x={x - 9} interval={withSkill} color="text-accent-strong" />
              <text x={x} y={HEIGHT + 34} textAnchor="middle" className="fill-ink text-[11px]">
                {label}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        <Key color="text-accent-strong" text="with the skill" />
        {chart.some(({ baseline }) => baseline !== undefined) && <Key color="text-muted" text={baselines} />}
        <span>Lines are 95 % intervals.</span>
      </figcaption>
    </figure>
  );
}

function describe({ label, withSkill, baseline, baselineName }: ChartPoint): string {
  const other = baseline === undefined ? "" : `, ${baselineName} ${percent(baseline)}`;
  return `${label} ${percent(withSkill)}${other}`;
}

interface PointProps {
  readonly x: number;
  readonly interval: Interval;
  readonly color: string;
}

function Point({ x, interval: { value, low, high }, color }: PointProps) {
  return (
    <g className={color}>
      <line
        x1={x}
        x2={x}
        y1={scale(low)}
        y2={scale(high)}
        stroke="currentColor"
        strokeWidth={2}
        opacity={0.5}
      />
      <circle cx={x} cy={scale(value)} r={4.5} fill="currentColor" />
    </g>
  );
}

function Key({ color, text }: { readonly color: string; readonly text: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-full bg-current ${color}`} />
      {text}
    </span>
  );
}
