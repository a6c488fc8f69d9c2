// The package has workers and modules of its own, which Vite finds where they are.
export default { optimizeDeps: { exclude: ["proscenium"] }, worker: { format: "es" } };
