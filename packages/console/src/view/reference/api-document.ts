/** One route of the gateway's OpenAPI document. */
export interface ApiRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Undefined for a route that needs no sign-in. */
  readonly roles: readonly string[] | undefined;
  readonly params: readonly ApiParam[];
  readonly body: ApiBody | undefined;
  readonly responses: readonly ApiResponse[];
}

export interface ApiParam {
  readonly name: string;
  readonly place: "path" | "query" | "header";
  readonly isRequired: boolean;
  readonly schema: unknown;
}

export interface ApiBody {
  /** Undefined for an archive. */
  readonly schema: unknown;
  readonly isRequired: boolean;
}

export interface ApiResponse {
  readonly status: string;
  readonly about: string;
  readonly schema: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The routes of a document in its order. A part that is not as expected is left out. */
export function routesOf(document: unknown): readonly ApiRoute[] {
  return Object.entries(fieldsIn(document)["paths"] ?? {}).flatMap(([path, methods]) =>
    Object.entries(fieldsIn(methods)).map(([method, value]) => routeOf(path, method, fieldsIn(value))),
  );
}

function routeOf(path: string, method: string, operation: Fields): ApiRoute {
  const roles = operation["x-skillhold-roles"];
  const [tag = "other"] = listIn(operation["tags"]).map(String);
  return {
    id: String(operation["operationId"]),
    method: method.toUpperCase(),
    path,
    tag,
    summary: String(operation["summary"] ?? ""),
    roles: Array.isArray(roles) ? roles.map(String) : undefined,
    params: listIn(operation["parameters"]).map((value) => paramOf(fieldsIn(value))),
    body: operation["requestBody"] === undefined ? undefined : bodyOf(fieldsIn(operation["requestBody"])),
    responses: Object.entries(fieldsIn(operation["responses"])).map(([status, value]) => ({
      status,
      about: String(fieldsIn(value)["description"] ?? ""),
      schema: schemaIn(value),
    })),
  };
}

function paramOf({ name, in: place, required, schema }: Fields): ApiParam {
  return {
    name: String(name),
    place: place === "path" || place === "header" ? place : "query",
    isRequired: required === true,
    schema,
  };
}

function bodyOf({ required, content }: Fields): ApiBody {
  const json = fieldsIn(content)["application/json"];
  return { schema: json === undefined ? undefined : fieldsIn(json)["schema"], isRequired: required === true };
}

function schemaIn(response: unknown): unknown {
  const content = fieldsIn(fieldsIn(response)["content"]);
  return fieldsIn(content["application/json"])["schema"];
}

/** The routes with all words in their method, path, summary, tag or name. */
export function searchRoutes(routes: readonly ApiRoute[], words: string): readonly ApiRoute[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return routes.filter(({ method, path, summary, tag, id }) => {
    const text = `${method} ${path} ${summary} ${tag} ${id}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

function fieldsIn(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
