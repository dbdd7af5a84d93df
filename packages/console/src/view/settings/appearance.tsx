import { chooseTheme, themes, useTheme } from "../../theme/theme.ts";
import { classNames } from "../../ui/class-names.ts";
import { Panel } from "../../ui/page.tsx";

/** How the console looks in this browser. */
export function Appearance() {
  const theme = useTheme();
  return (
    <Panel title="Appearance">
      <fieldset className="flex flex-wrap gap-2 p-4">
        <legend className="sr-only">Theme</legend>
        {themes.map((each) => (
          <label
            key={each}
            className={classNames(
              "flex cursor-pointer items-center gap-2 rounded-md border px-3 py-1.5 text-sm capitalize",
              each === theme ? "border-accent bg-accent-soft" : "border-line-strong",
            )}
          >
            <input
              type="radio"
              name="theme"
              checked={each === theme}
              onChange={() => chooseTheme(each)}
              className="accent-(--accent)"
            />
            {each}
          </label>
        ))}
      </fieldset>
    </Panel>
  );
}
