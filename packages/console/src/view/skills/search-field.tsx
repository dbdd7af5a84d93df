import { Search } from "lucide-react";
import { Input } from "../../ui/field.tsx";
import { Kbd } from "../../ui/text.tsx";

/** Where `/` leads in the list of skills. */
export function SearchField({
  words,
  onChange,
}: {
  readonly words: string;
  readonly onChange: (words: string) => void;
}) {
  return (
    <div className="relative min-w-48 flex-1 max-sm:basis-full">
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
        aria-hidden
      />
      <Input
        data-search
        type="search"
        aria-label="Search skills"
        placeholder="Search skills"
        value={words}
        onChange={({ target }) => onChange(target.value)}
        className="pl-8!"
      />
      {words === "" && (
        <span
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 hidden -translate-y-1/2 sm:block"
        >
          <Kbd>/</Kbd>
        </span>
      )}
    </div>
  );
}
