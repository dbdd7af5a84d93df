import { resolve } from "node:path";
import type { ServeOptions } from "@skillhold/host/gateway";
import { DATA_VARIABLE, present } from "@skillhold/host/place";
import { AUDIT_KEY_VARIABLE, AUDIT_WITNESS_VARIABLE } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import type { CommandInput } from "../../command.ts";
import { countOption, listOption, textOption } from "../../option.ts";
import { namedLimits } from "../../skill-selection.ts";
import type { Io } from "../../terminal/output.ts";

type Options = CommandInput["options"];

/** The options of `serve` as the host takes them. */
export function readServeOptions(options: Options): ServeOptions {
  const behindTls = options["behindTls"] === true;
  const allowedHosts = listOption(options, "allowHost").map(readHost);
  if (behindTls && allowedHosts.length === 0)
    throw new SkillError("USAGE", "--behind-tls needs the name under which users reach the gateway.", {
      hint: "Add --allow-host with that name, such as skills.example.org.",
    });
  return {
    host: textOption(options, "host") ?? "127.0.0.1",
    allowedHosts,
    origins: listOption(options, "allowOrigin").map(readOrigin),
    roots: listOption(options, "root"),
    behindTls,
    insecureBind: options["insecureBind"] === true,
    discovery: options["discovery"] === true,
    reviewers: listOption(options, "reviewer").map(readReviewer),
    promotions: readPromotions(options),
    webhookHosts: listOption(options, "webhookHost").map(readHost),
    openPublishing: options["openPublishing"] === true,
    seed: options["seed"] !== false,
    watch: options["watch"] !== false,
    strict: options["strict"] === true,
    governed: options["governed"] === true,
    limits: withLimits({
      ...namedLimits,
      ...Object.fromEntries(listOption(options, "limit").map(readLimit)),
    }),
    ...present({
      port: countOption(options, "port", { min: 0, max: 65_535 }),
      store: textOption(options, "store"),
      auditDays: countOption(options, "auditDays", { min: 1, max: 36_500 }),
      outputsDays: countOption(options, "outputsDays", { min: 1, max: 36_500 }),
      workspaces: textOption(options, "workspaces"),
    }),
  };
}

function readPromotions(options: Options): ServeOptions["promotions"] {
  const isReviewed = options["reviewPromotions"] === true;
  const isShared = options["sharePromotions"] === true;
  if (isReviewed && isShared)
    throw new SkillError("USAGE", "--review-promotions and --share-promotions exclude each other.", {
      hint: "Use one of them.",
    });
  return isReviewed ? "review" : isShared ? "user" : "agent";
}

function readReviewer(text: string): { readonly kind: "agent" | "user"; readonly key: string } {
  const [, kind, key = ""] = /^(user|agent):(.{1,256})$/u.exec(text) ?? [];
  if (kind === "user" || kind === "agent") return { kind, key };
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is not a reviewer.`, {
    hint: "Write user:<name> or agent:<key>.",
  });
}

function readLimit(text: string): readonly [name: string, value: number] {
  const [, name = "", value = ""] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name !== "") return [name, Number(value)];
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} does not set a limit.`, {
    hint: "Write a limit as archiveBytes=104857600, in bytes or milliseconds.",
  });
}

/** Options that replace a variable of the environment: the data folder, the audit key and the audit witness. */
export function withDataFolder<T extends Pick<Io, "env" | "cwd">>(options: Options, io: T): T {
  const data = textOption(options, "data");
  if (data === "") throw new SkillError("USAGE", "--data is empty.", { hint: "Name a folder." });
  const key = textOption(options, "auditKey");
  const witness = textOption(options, "auditWitness");
  const named = {
    [DATA_VARIABLE]: data && resolve(io.cwd, data),
    [AUDIT_KEY_VARIABLE]: key && resolve(io.cwd, key),
    [AUDIT_WITNESS_VARIABLE]: witness && (/^https?:/.test(witness) ? witness : resolve(io.cwd, witness)),
  };
  return { ...io, env: { ...io.env, ...present(named) } };
}

function readHost(text: string): string {
  const host = text.toLowerCase();
  if (/^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/.test(host))
    return host;
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is not a host name.`, {
    hint: "Write the name as a browser shows it, without a scheme: skills.example.org or 10.0.0.5:7878.",
  });
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new SkillError("USAGE", `${JSON.stringify(text.slice(0, 80))} is not an origin.`, {
    hint: "Write an origin such as https://console.example.org, with its port and without a path.",
  });
}
