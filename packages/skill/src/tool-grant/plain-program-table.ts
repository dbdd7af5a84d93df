import { escapeTable } from "./escape-table.ts";

/**
 * Programs known to start no other program, so that a prefix of them is a limit. `escapeTable` rejects the options with
 * which some of them would. Any other program may start programs: a prefix of it grants no command without a person.
 */
export const plainPrograms: ReadonlySet<string> = new Set([
  ...[
    "ls cat head tail wc sort uniq cut paste join comm tr fold fmt nl tac rev expand unexpand column pr",
    "echo printf true false test expr seq yes sleep date cal pwd basename dirname realpath readlink",
    "cp mv rm mkdir rmdir touch ln chmod chown stat file du df tree truncate mktemp sync",
    "grep egrep fgrep rg ag diff cmp sdiff diff3 colordiff strings od xxd hexdump base32 base64",
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum cksum sum b2sum",
    "jq yq xmllint xsltproc xq csvcut csvgrep csvlook csvstat csvjson gron dasel",
    "gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd unzstd lz4 unzip gsort gsplit gshuf split csplit shuf",
    "id whoami groups who w uname hostname uptime arch nproc free ps pgrep lsof printenv locale tty",
    "ping traceroute dig nslookup host whois curl wget ss netstat",
    "pdftotext pdfinfo pdfimages pdftoppm pdftocairo pdfunite pdfseparate pdffonts pdfdetach qpdf mutool",
    "tesseract antiword catdoc unrtf docx2txt xlsx2csv html2text wkhtmltopdf",
    "ruff black isort gofmt rustfmt clang-format shfmt shellcheck hadolint yamllint jsonlint markdownlint tsc cloc tokei scc",
    "iconv dos2unix unix2dos uchardet cowsay figlet bc sox mediainfo exiv2 jpegoptim optipng pngquant cwebp dwebp",
    "which whereis type",
  ].flatMap((line) => line.split(" ")),
  ...escapeTable.flatMap(({ names }) => names.filter((name) => !name.includes(" "))),
]);
