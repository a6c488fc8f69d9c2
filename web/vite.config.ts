import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Puts a packed copy beside every script and style, for slow connections. */
function packed(): Plugin {
  return {
    name: "packed",
    apply: "build",
    writeBundle({ dir }) {
      const folder = join(dir ?? "dist", "assets");
      for (const file of readdirSync(folder).filter((name) => /\.(js|css)$/.test(name))) {
        writeFileSync(join(folder, `${file}.gz`), gzipSync(readFileSync(join(folder, file)), { level: 9 }));
      }
    },
  };
}

// The studio's server answers the API while the pages are worked on.
export default defineConfig({
  plugins: [packed()],
  server: { proxy: { "/api": { target: "http://127.0.0.1:7777", ws: true } } },
  build: { target: "es2022", chunkSizeWarningLimit: 900 },
});
