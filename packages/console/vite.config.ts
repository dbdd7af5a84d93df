import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The gateway that pages of `npm run dev` talk to. */
const gateway = "http://127.0.0.1:7878";

export default defineConfig({
  base: "/",
  plugins: [react(), tailwind()],
  resolve: { conditions: ["@skillhold/source", "module", "browser", "import", "default"] },
  build: { target: "es2023", assetsInlineLimit: 0, reportCompressedSize: false },
  server: { proxy: { "/v1": gateway, "/ws": { target: gateway, ws: true } } },
});
