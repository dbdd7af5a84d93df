/** One property of a JSON schema, as a form shows it. */
export interface SchemaField {
  readonly name: string;
  readonly kind: "text" | "number" | "choice" | "json";
  readonly about: string;
  readonly isRequired: boolean;
  /** The values of a choice. */
  readonly options: readonly string[];
  /** The default value as text; empty without one. */
  readonly initial: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** The properties of an object schema; none for any other value. */
export function fieldsOf(schema: unknown): readonly SchemaField[] {
  const { properties, required } = objectOf(schema);
  const names = Array.isArray(required) ? required : [];
  return Object.entries(objectOf(properties)).map(([name, value]) => {
    const property = plainOf(objectOf(value));
    const options = optionsOf(property);
    return {
      name,
      kind: options.length > 0 ? "choice" : kindOf(property),
      about: textOf(objectOf(value)["description"]),
      isRequired: names.includes(name),
      options,
      initial: property["default"] === undefined ? "" : JSON.stringify(property["default"]),
    };
  });
}

/** The values of the fields. Throws an error that names the first field whose text does not fit. */
export function valuesOf(
  fields: readonly SchemaField[],
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? "";
    if (text === "" && field.isRequired) throw new Error(`${field.name} is required.`);
    if (text !== "") values[field.name] = readValue(field, text);
  }
  return values;
}

function readValue({ name, kind }: SchemaField, text: string): unknown {
  if (kind === "text") return text;
  if (kind === "choice") return text === "true" ? true : text === "false" ? false : text;
  if (kind === "number") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`${name} must be a number.`);
    return number;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} must be JSON.`);
  }
}

/** The first form of a union that is not null, which is how optional values are declared. */
function plainOf(property: Schema): Schema {
  const forms = property["anyOf"] ?? property["oneOf"];
  if (!Array.isArray(forms)) return property;
  const others = forms.map(objectOf).filter(({ type }) => type !== "null");
  return others.length === 1 ? { ...others[0], ...property, anyOf: undefined } : property;
}

function kindOf({ type }: Schema): SchemaField["kind"] {
  if (type === "string") return "text";
  return type === "number" || type === "integer" ? "number" : "json";
}

function optionsOf(property: Schema): readonly string[] {
  if (property["type"] === "boolean") return ["true", "false"];
  const values = property["enum"];
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : [];
}

function objectOf(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
