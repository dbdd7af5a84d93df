import { present } from "@skillhold/host/place";
import { SignInRole } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { issueToken } from "@skillhold/registry/token";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { byOption, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asIssuer, validityNote } from "./token-issuer.ts";

const optionSpecs = [
  { flags: "--url <address>", summary: "the gateway's; prints the whole link" },
  { flags: "--user <name>", summary: "as whom; by default you" },
  {
    flags: "--role <name>",
    summary: "what they may do; by default admin",
    choices: ["admin", "publisher", "viewer"],
  },
  byOption,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["token sign-in", "token sign-in --url http://localhost:7878 --user bob --role publisher"],
  run,
});

/** Prints what a person signs in with at a gateway: a code, or the link that has it. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const url = textOption(options, "url");
  const page = url === undefined ? undefined : signInPage(url);
  const role = SignInRole.parse(textOption(options, "role") ?? "admin");
  const named = present({ user: textOption(options, "user") });
  return await withRegistry<ExitCode>(asIssuer(input, options["by"]), "write", async (opened) => {
    const { context, actor } = opened;
    const spec = { kind: "sign-in", name: "sign-in", role, ...named } as const;
    const { token, secret } = await issueToken(spec, { by: actor }, context);
    const { user, expiresAt } = token;
    // Browsers send no server what comes after the mark.
    const link = page === undefined ? undefined : `${page}#${secret}`;
    if (io.json) printData(io, { code: secret, link, user, role, expiresAt });
    else {
      io.out(`${link ?? secret}\n`);
      io.err(`It signs ${plain(user)} in once, with the role ${role}, until ${expiresAt}.\n`);
      io.err(validityNote(input));
    }
    return 0;
  });
}

function signInPage(address: string): string {
  const url = URL.parse(address);
  const isPlain = url?.username === "" && url.password === "";
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol))
    throw new SkillError("USAGE", "That is not the address of a gateway.", {
      hint: "Write it as --url http://localhost:7878, as the gateway printed it.",
    });
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/sign-in`;
}
