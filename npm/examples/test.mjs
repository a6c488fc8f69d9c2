// Builds every example with the packed package, as a stranger would, and opens it in
// Chromium: node examples/test.mjs [FOLDER…]. Needs a registry of packages.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What each page is called once it does what it should. */
const TITLES = { plain: "rolled", vite: "driving", react: "playing", babylon: "playing" };
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html", ".css": "text/css" };
const asked = process.argv.slice(2);
const names = asked.length ? asked : Object.keys(TITLES);
const place = mkdtempSync(join(tmpdir(), "proscenium-examples-"));
const npm = (words, cwd) => execFileSync("npm", words, { cwd, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });

/** The folder that is served for an example, and the page in it. */
function built(name) {
  if (name === "plain") return [root, "/examples/plain/index.html"];
  const folder = join(place, name);
  cpSync(join(root, "examples", name), folder, { recursive: true, filter: (file) => !/node_modules|dist$/.test(file) });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  manifest.dependencies.proscenium = `file:${packed}`;
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], folder);
  // What esbuild installs by a script is there already, for this machine, as a package of its own.
  npm(["run", "build"], folder);
  return [join(folder, "dist"), "/index.html"];
}

/** Serves a folder. */
function serve(folder) {
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url, "http://page").pathname);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const [{ filename }] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", place], root));
const packed = join(place, filename);
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
try {
  for (const name of names) {
    const [folder, path] = built(name);
    const server = await serve(folder);
    const page = await browser.newPage({ viewport: { width: 480, height: 320 } });
    const troubles = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}${path}`);
    try {
      await page.waitForFunction((title) => document.title === title, TITLES[name], { timeout: 240_000 });
    } catch (error) {
      troubles.push(error.message);
    }
    await page.close();
    server.close();
    console.log(`${name.padEnd(10)} ${troubles.length ? "failed" : TITLES[name]}`);
    for (const trouble of troubles) console.error(`error: ${trouble}`);
    if (troubles.length) process.exitCode = 1;
  }
} finally {
  await browser.close();
  rmSync(place, { recursive: true });
}
