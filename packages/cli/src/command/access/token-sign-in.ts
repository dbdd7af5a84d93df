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
  { flags: "--url <address>", summary: "print the sign-in link of the gateway at this URL" },
  { flags: "--user <name>", summary: "set the user of the token; by default you" },
  {
    flags: "--role <name>",
    summary: "set the role; by default admin",
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

/** Prints a one-time sign-in code for a gateway, or a link that contains it. */
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
    // Browsers never send the fragment to a server.
    const link = page === undefined ? undefined : `${page}#${secret}`;
    if (io.json) printData(io, { code: secret, link, user, role, expiresAt });
    else {
      io.out(`${link ?? secret}\n`);
      io.err(`Signs in ${plain(user)} once, with the role ${role}, until ${expiresAt}.\n`);
      io.err(validityNote(input));
    }
    return 0;
  });
}

function signInPage(address: string): string {
  const url = URL.parse(address);
  const isPlain = url?.username === "" && url.password === "";
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol))
    throw new SkillError("USAGE", "--url is not the URL of a gateway.", {
      hint: "Use the URL that the gateway printed, such as --url http://localhost:7878.",
    });
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/sign-in`;
}
