// Builds what pages of the site load: node prepare.mjs FOLDER
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, rest } from "proscenium/ensemble";

const folder = process.argv[2];
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "meadow.memg"), await build({ make: "grass-clump", seconds: 12, seed: 1 }));
await rest();
