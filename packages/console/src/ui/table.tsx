import type { ReactNode } from "react";

export interface Column<T> {
  readonly title: string;
  readonly show: (row: T) => ReactNode;
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean;
  /** A column of buttons: it stays visible while the table scrolls, and only screen readers get its title. */
  readonly isAction?: boolean;
}

export interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** Rows of the same kind. Where it is too wide, it scrolls by itself and not the page. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={label}>
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {columns.map(({ title, isMinor, isAction }) => (
              <th
                key={title}
                scope="col"
                className={`px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 sm:px-4 ${minor(isMinor)} ${action(isAction)}`}
              >
                <span className={isAction === true ? "sr-only" : undefined}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="group hover:bg-raised">
              {columns.map(({ title, show, isMinor, isAction }) => (
                <td
                  key={title}
                  className={`px-3 py-2.5 align-middle first:pl-4 last:pr-4 sm:px-4 ${minor(isMinor)} ${action(isAction)}`}
                >
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function action(isAction: boolean | undefined): string {
  return isAction === true
    ? "sticky right-0 w-px bg-panel text-right whitespace-nowrap group-hover:bg-raised"
    : "";
}

function minor(isMinor: boolean | undefined): string {
  return isMinor === true ? "hidden md:table-cell" : "";
}
