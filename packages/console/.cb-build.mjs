import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { build } from "vite";

const stub = {
  name: "stub",
  enforce: "pre",
  resolveId(id, importer) {
    if (importer && id.startsWith(".") && /\.tsx?$/.test(id) && !existsSync(resolve(dirname(importer), id))) {
      console.error("stub", id);
      const text = readFileSync(importer, "utf8");
      const esc = id.replaceAll(/[./]/g, "\\$&");
      const names = [...text.matchAll(new RegExp(`import \\{([^}]*)\\} from "${esc}"`, "g"))].flatMap((m) =>
        m[1]
          .split(",")
          .map((n) => n.trim())
          .filter((n) => n && !n.startsWith("type ")),
      );
      const dyn = [...text.matchAll(new RegExp(`import\\("${esc}"\\)\\)\\.(\\w+)`, "g"))].map((m) => m[1]);
      return `\0stub:${[...new Set([...names, ...dyn])].join(",")}:${id}`;
    }
  },
  load(id) {
    if (!id.startsWith("\0stub:")) return;
    return id
      .split(":")[1]
      .split(",")
      .filter(Boolean)
      .map((n) => `export const ${n} = () => null;`)
      .join("\n");
  },
};
await build({ root: import.meta.dirname, logLevel: "warn", plugins: [stub] });
