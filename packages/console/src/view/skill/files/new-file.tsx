import { FilePlus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/field.tsx";

export interface NewFileProps {
  readonly paths: readonly string[];
  readonly onOpen: (path: string) => void;
}

/** Asks for the path of a new file. */
export function NewFile({ paths, onOpen }: NewFileProps) {
  const [path, setPath] = useState<string>();
  if (path === undefined)
    return (
      <Button look="quiet" icon={FilePlus} className="mt-1 w-full justify-start" onClick={() => setPath("")}>
        New file
      </Button>
    );
  const problem = problemOf(path.trim(), paths);
  return (
    <form
      className="space-y-2 p-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() === "" || problem !== undefined) return;
        setPath(undefined);
        onOpen(path.trim());
      }}
    >
      <Field label="Path of the new file" {...(path === "" ? {} : { error: problem })}>
        <Input
          autoFocus
          value={path}
          placeholder="references/style.md"
          spellCheck={false}
          onChange={({ target }) => setPath(target.value)}
        />
      </Field>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={path.trim() === "" || problem !== undefined}>
          Add
        </Button>
        <Button onClick={() => setPath(undefined)}>Cancel</Button>
      </div>
    </form>
  );
}

/** Why a path cannot be a new file; the gateway checks paths again. */
export function problemOf(path: string, paths: readonly string[]): string | undefined {
  if (path.startsWith("/") || path.endsWith("/") || path.includes("\\"))
    return "Write a path such as scripts/a.py.";
  if (path.split("/").some((part) => part === "" || part === "." || part === ".."))
    return "Write a path without empty parts and dots.";
  if (paths.some((other) => other.toLowerCase() === path.toLowerCase())) return "The skill has this file.";
  const isBelowFile = paths.some((other) => path.startsWith(`${other}/`));
  return isBelowFile ? "A file has the name of the folder." : undefined;
}
