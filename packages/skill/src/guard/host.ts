/** The host of an http, https, ws or ftp URL; undefined for templates and text that is not a URL. */
export function hostOf(url: string): string | undefined {
  const match = /^(?:https?|wss?|ftps?):\/\/(?:[^\s/@?#]{0,200}@)?([^\s/:?#"'`<>)\]}|\\]{1,253})/i.exec(url);
  const host = match?.[1]?.toLowerCase().replace(/\.$/, "");
  if (host === undefined || /[{}$%<>*(]/.test(host)) return undefined;
  return host.includes(".") || host === "localhost" ? host.replace(/[.,;]+$/, "") : undefined;
}

const URLS = /\b(?:https?|wss?|ftps?):\/\/[^\s"'`<>\\]{1,2000}/gi;

/** URLs of a text with their offsets. */
export function findUrls(text: string): readonly { readonly url: string; readonly index: number }[] {
  const found: { url: string; index: number }[] = [];
  for (const match of text.matchAll(URLS)) {
    found.push({ url: match[0].replace(/[).,;:\]}*_]+$/, ""), index: match.index });
    if (found.length >= 2000) break;
  }
  return found;
}

/** Hosts of this machine and of private networks. */
export function isLocalHost(host: string): boolean {
  return (
    /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|host\.docker\.internal)$/.test(host) ||
    /\.(?:local|localhost|internal)$/.test(host) ||
    /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\./.test(host)
  );
}

/** Names that stand for a host in documentation. */
export function isPlaceholderHost(host: string): boolean {
  return (
    /(?:^|\.)example\.(?:com|org|net|edu)$|\.(?:example|test)$/.test(host) ||
    /^(?:your|my|some|the)[-.]|placeholder|(?:^|\.)(?:domain|host|server|site|company|yourdomain|mydomain)\.(?:com|tld|io)$/.test(
      host,
    )
  );
}

export function isIpHost(host: string): boolean {
  return (
    (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || /^0x[0-9a-f]{8}$/.test(host)) &&
    !isLocalHost(host) &&
    !DOCUMENTATION.test(host)
  );
}

const DOCUMENTATION = /^(?:192\.0\.2|198\.51\.100|203\.0\.113|1\.2\.3|1\.1\.1|8\.8\.[48]|9\.9\.9)\./;

function suffixes(list: string): (host: string) => boolean {
  const known = new Set(list.trim().split(/\s+/));
  return (host) => {
    const parts = host.split(".");
    return parts.some((_, at) => known.has(parts.slice(at).join(".")));
  };
}

/** Sites where anyone posts text: a command that comes from one changes without notice. */
const isListedPaste = suffixes(`
glot.io rentry.co rentry.org pastebin.com paste.ee hastebin.com dpaste.com dpaste.org ghostbin.com controlc.com ix.io
termbin.com 0bin.net privatebin.net pastes.io justpaste.it paste.rs sprunge.us paste.mozilla.org katb.in bpa.st
transfer.sh file.io 0x0.st temp.sh tmpfiles.org anonfiles.com gofile.io catbox.moe telegra.ph write.as snippet.host
pastefy.app paste.sh cl1p.net textbin.net`);

export function isPasteHost(host: string): boolean {
  return isListedPaste(host) || /^(?:paste|pastes|pastebin)\./.test(host);
}

/** Hosts where anyone can open a throwaway endpoint that receives data. */
export const isDropHost = suffixes(`
webhook.site requestbin.com requestbin.net pipedream.net beeceptor.com requestcatcher.com hookbin.com webhookinbox.com
interact.sh interactsh.com oast.pro oast.live oast.site oast.online oast.fun oast.me burpcollaborator.net oastify.com
canarytokens.com dnslog.cn ceye.io ngrok.io ngrok.app ngrok-free.app ngrok.dev trycloudflare.com loca.lt serveo.net
localhost.run bore.pub pagekite.me putreq.com postb.in typedwebhook.tools mockbin.org hookdeck.com`);

/** Pages that anyone puts up for free and without a name. */
export const isFreeHost = suffixes(`
vercel.app netlify.app pages.dev workers.dev web.app firebaseapp.com github.io gitlab.io surge.sh glitch.me herokuapp.com
onrender.com replit.app repl.co render.com fly.dev up.railway.app weebly.com wixsite.com blogspot.com 000webhostapp.com
framer.website carrd.co notion.site azurewebsites.net deno.dev lovable.app`);

export const isShortener = suffixes(`
bit.ly tinyurl.com t.co goo.gl is.gd v.gd cutt.ly rebrand.ly shorturl.at ow.ly tiny.cc rb.gy t.ly s.id clck.ru bl.ink
buff.ly adf.ly soo.gd`);

/** Vendors whose documented installation is a script for a shell. */
export const isInstallerHost = suffixes(`
sh.rustup.rs rustup.rs get.docker.com brew.sh install.python-poetry.org astral.sh bun.sh deno.land
deno.com fnm.vercel.app get.pnpm.io pnpm.io get.sdkman.io nodesource.com deb.nodesource.com rpm.nodesource.com get.helm.sh fly.io
get.pulumi.com ollama.com ollama.ai starship.rs nixos.org install.determinate.systems determinate.systems tailscale.com
cli.github.com aka.ms dot.net dotnet.microsoft.com packages.microsoft.com get.k3s.io k3s.io k3d.io sdk.cloud.google.com dl.google.com
developer.nvidia.com nvidia.com nvidia.github.io mise.run mise.jdx.dev claude.ai anthropic.com cursor.com opencode.ai openai.com
sentry.io vercel.com supabase.com railway.app railway.com foundry.paradigm.xyz release.solana.com anza.xyz install.duckdb.org
duckdb.org cli.doppler.com doppler.com prefix.dev pixi.sh micro.mamba.pm repo.anaconda.com get-ghcup.haskell.org haskell.org opam.ocaml.org
dlang.org ziglang.org julialang.org install.julialang.org get.volta.sh volta.sh proto.dev moonrepo.dev just.systems get.trunk.io
semgrep.dev snyk.io get.anchore.io anchore.com aquasecurity.github.io lefthook.dev bazel.build circleci.com
cloudflare.com gitlab.com hashicorp.com elastic.co grafana.com influxdata.com datadoghq.com s3.amazonaws.com awscli.amazonaws.com amazonaws.com
buf.build temporal.download dagger.io dl.dagger.io warp.dev zed.dev huggingface.co wasmtime.dev wasmer.io get.wasmer.io
rustwasm.github.io clawhub.ai openclaw.ai get.rvm.io rvm.io rbenv.org chocolatey.org community.chocolatey.org get.scoop.sh scoop.sh
xmake.io fish.shop linkerd.io run.linkerd.io istio.io cilium.io argoproj.io fluxcd.io tekton.dev crossplane.io kind.sigs.k8s.io k8s.io
gh.io ngc.nvidia.com uipath.com wix.com dev.wix.com pypi.org bootstrap.pypa.io npmjs.org npmjs.com unpkg.com modelscope.cn aliyun.com
aliyuncs.com alicdn.com exa.ai tavily.com firecrawl.dev browser-use.com composio.dev stripe.com cli.inference.sh inference.sh arduino.cc
platformio.org raspberrypi.com esp.sh espressif.com get.jetify.com jetify.com devbox.sh nextflow.io get.nextflow.io anaconda.com
conda.io mamba.pm databricks.com snowflake.com confluent.io cnfl.io mongodb.com cockroachlabs.com planetscale.com neon.tech turso.tech
get.tur.so sqlite.org rclone.org restic.net zerotier.com install.zerotier.com netlify.com heroku.com cli-assets.heroku.com render.com expo.dev
posit.co rstudio.com r-project.org gradle.org maven.apache.org apache.org sdkman.io jbang.dev sh.jbang.dev kotlinlang.org scala-lang.org
coursier.io get-coursier.io clojure.org download.clojure.org elixir-lang.org hex.pm golang.org go.dev golangci-lint.run
modal.com replicate.com wandb.ai langchain.com smithery.ai ampcode.com factory.ai app.factory.ai qoder.com augmentcode.com kiro.dev cli.kiro.dev
goose.ai block.github.io devin.ai windsurf.com codeium.com tabnine.com sourcegraph.com continue.dev`);

/** Hosts of reported malware campaigns. */
export const isKnownBadHost = suffixes(
  "91.92.242.30 openclawcli.vercel.app openclawcli.forum install.app-distribution.net socifiapp.com",
);

const AGENT_BRANDS =
  /openclaw|clawhub|clawdhub|clawdbot|moltbot|claude-?code|claudecode|anthropic|codex-?cli|openai-?codex|cursor-?agent/;
const isBrandHost = suffixes(`
openclaw.ai openclaw.org clawhub.ai clawhub.com clawd.bot clawdbot.com molt.bot moltbot.com clawdhub.com claude.ai claude.com
anthropic.com openai.com cursor.com cursor.sh github.com githubusercontent.com npmjs.com npmjs.org pypi.org docker.io docker.com
hub.docker.com ghcr.io readthedocs.io amazonaws.com azure.com google.com`);

/** Whether a host carries the name of an agent product and belongs to somebody else. */
export function isImpostorHost(host: string): boolean {
  return AGENT_BRANDS.test(host) && !isBrandHost(host) && !isPlaceholderHost(host) && !isLocalHost(host);
}

/** Identifiers in XML and JSON that look like URLs. */
export const isNamespaceHost = suffixes(`
www.w3.org w3.org schemas.openxmlformats.org schemas.microsoft.com schemas.android.com purl.org xmlns.com json-schema.org schema.org
www.opengis.net ns.adobe.com docs.oasis-open.org purl.oclc.org openoffice.org schemas.xmlsoap.org java.sun.com xml.apache.org
xml.org www.topografix.com sarifweb.azurewebsites.net json.schemastore.org www.sitemaps.org maven.apache.org`);

/** How much a shell script from a URL may be trusted: raw addresses, paste sites and short links are hostile. */
export function sourceTrust(url: string): "known" | "unknown" | "hostile" {
  const host = hostOf(url);
  if (host === undefined) return "unknown";
  if (isLocalHost(host)) return "known";
  if (isIpHost(host) || isPasteHost(host) || isShortener(host) || isDropHost(host) || isKnownBadHost(host))
    return "hostile";
  if (isInstallerHost(host)) return "known";
  return "unknown";
}
