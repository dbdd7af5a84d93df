import { Field, Input, Select, TextArea } from "./field.tsx";
import { fieldsOf, type SchemaField } from "./schema-field.ts";

export interface SchemaFormProps {
  readonly schema: unknown;
  readonly texts: Readonly<Record<string, string>>;
  readonly onChange: (texts: Readonly<Record<string, string>>) => void;
}

/** The properties of a JSON schema as fields. Values that are no plain text or number are written as JSON. */
export function SchemaForm({ schema, texts, onChange }: SchemaFormProps) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return <p className="text-sm text-muted">No input.</p>;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {fields.map((field) => (
        <Field
          key={field.name}
          label={field.isRequired ? `${field.name} *` : field.name}
          {...(noteOf(field) === "" ? {} : { note: noteOf(field) })}
        >
          <Control
            field={field}
            value={texts[field.name] ?? ""}
            onChange={(value) => onChange({ ...texts, [field.name]: value })}
          />
        </Field>
      ))}
    </div>
  );
}

function noteOf({ about, kind }: SchemaField): string {
  return [about, kind === "json" ? "As JSON." : ""].filter((text) => text !== "").join(" ");
}

interface ControlProps {
  readonly field: SchemaField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Control({ field: { kind, options, isRequired, initial }, value, onChange }: ControlProps) {
  if (kind === "choice")
    return (
      <Select value={value} required={isRequired} onChange={({ target }) => onChange(target.value)}>
        <option value="">{initial === "" ? "None" : `Default (${initial})`}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </Select>
    );
  if (kind === "json")
    return (
      <TextArea
        rows={4}
        spellCheck={false}
        required={isRequired}
        value={value}
        placeholder={initial}
        onChange={({ target }) => onChange(target.value)}
        className="font-mono"
      />
    );
  return (
    <Input
      required={isRequired}
      inputMode={kind === "number" ? "decimal" : "text"}
      spellCheck={false}
      value={value}
      placeholder={initial}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
