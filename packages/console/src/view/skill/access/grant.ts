import type { Answer, CallInput } from "../../../api/client.ts";

export type Grant = Answer<"GET /v1/skills/{id}/grants">["grants"][number];
export type GrantBody = NonNullable<CallInput<"PUT /v1/skills/{id}/grants/{kind}/{key}">["body"]>;

/** A grant as form text. */
export interface GrantText {
  readonly kind: Grant["grantee"]["kind"];
  readonly key: string;
  readonly canManage: boolean;
  readonly pin: string;
}

export const noGrant: GrantText = { kind: "agent", key: "", canManage: false, pin: "" };

export function textOf({ grantee, canManage, pin }: Grant): GrantText {
  return { kind: grantee.kind, key: grantee.key, canManage, pin: pin === undefined ? "" : String(pin) };
}

/** The request body. An empty pin is omitted, which removes the pin from the grant. Only users can manage. */
export function bodyOf({ kind, canManage, pin }: GrantText): GrantBody {
  return { canManage: canManage && kind === "user", ...(pin === "" ? {} : { pin: Number(pin) }) };
}

/** A grant that was taken back, to give again. */
export function againOf({ grantee, canManage, pin }: Grant): GrantBody {
  return { canManage: canManage && grantee.kind === "user", ...(pin === undefined ? {} : { pin }) };
}
