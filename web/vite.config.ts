import { defineConfig } from "vite";

// The studio's server answers the API while the pages are worked on.
export default defineConfig({
  server: { proxy: { "/api": { target: "http://127.0.0.1:7777", ws: true } } },
  build: { target: "es2022", chunkSizeWarningLimit: 900 },
});
