// The package has workers and modules of its own, which Vite finds where they are; and there is one three.js.
export default {
  optimizeDeps: { exclude: ["proscenium"] },
  resolve: { dedupe: ["three"] },
  worker: { format: "es" },
  esbuild: { jsx: "automatic" },
};
