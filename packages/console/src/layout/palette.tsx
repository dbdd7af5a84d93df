import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { classNames } from "../ui/class-names.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Input } from "../ui/field.tsx";
import type { PaletteItem } from "./palette-item.ts";
import { usePalette } from "./use-palette.ts";

/** Goes to a view or a skill, or does something, by a few letters of its name. */
export function Palette({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Command menu">
      <PaletteList onClose={onClose} />
    </Dialog>
  );
}

function PaletteList({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const items = usePalette(words);
  const id = useId();
  const last = items.length - 1;
  const chosen = Math.min(at, last);
  const shown = items[chosen]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another item in its place is a reason as well.
  useEffect(() => {
    const choice = document.getElementById(`${id}-${chosen}`);
    // The first is shown with the name of its group.
    if (chosen === 0) choice?.parentElement?.scrollTo({ top: 0 });
    else choice?.scrollIntoView({ block: "nearest" });
  }, [id, chosen, shown]);
  const choose = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const press = (event: KeyboardEvent) => {
    const to = moveOf(event.key, chosen, last);
    if (event.key === "Enter") choose(items[chosen]);
    if (to === undefined) return;
    event.preventDefault();
    setAt(to);
  };
  return (
    <div className="space-y-2">
      <Input
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={last < 0 ? undefined : `${id}-${chosen}`}
        aria-label="Search skills, views and commands"
        placeholder="Search skills, views and commands"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={id} role="listbox" aria-label="Matches" className="h-80 max-h-[50dvh] overflow-y-auto">
        {items.map((item, index) => (
          <Choice
            key={item.id}
            id={`${id}-${index}`}
            item={item}
            isFirst={words === "" && item.group !== items[index - 1]?.group}
            isChosen={index === chosen}
            onChoose={() => choose(item)}
            onPoint={() => setAt(index)}
          />
        ))}
      </div>
      {items.length === 0 && <p className="py-2 text-center text-sm text-muted">No results.</p>}
    </div>
  );
}

function moveOf(key: string, at: number, last: number): number | undefined {
  if (key === "ArrowDown") return at >= last ? 0 : at + 1;
  if (key === "ArrowUp") return at <= 0 ? Math.max(last, 0) : at - 1;
  return undefined;
}

interface ChoiceProps {
  readonly id: string;
  readonly item: PaletteItem;
  /** Whether its group is named above it. */
  readonly isFirst: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onPoint: () => void;
}

function Choice({ id, item, isFirst, isChosen, onChoose, onPoint }: ChoiceProps) {
  return (
    <>
      {isFirst && (
        <p aria-hidden className="px-2 pt-2 pb-1 text-xs font-medium text-muted first:pt-0">
          {item.group}
        </p>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field above. */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus. */}
      <div
        id={id}
        role="option"
        aria-selected={isChosen}
        onClick={onChoose}
        onPointerMove={({ movementX, movementY }) => {
          // What moves below a pointer at rest is not pointed at.
          if (movementX !== 0 || movementY !== 0) onPoint();
        }}
        className={classNames(
          "flex cursor-pointer items-baseline gap-2 rounded-md px-2 py-1.5",
          isChosen && "bg-raised",
        )}
      >
        <span className="max-w-[70%] shrink-0 truncate font-medium">{item.name}</span>
        <span className="truncate text-xs text-muted">{item.note}</span>
      </div>
    </>
  );
}
