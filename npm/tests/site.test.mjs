// Promise: every page of the site starts, says what it does, and draws.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html", ".css": "text/css" };
/** Where the parts of the site come from before they are put together. */
const PARTS = [["/proscenium/", "dist/"], ["/three/", "node_modules/three/"], ["/", "site/"]];
/** What each page says as soon as it works. */
const PAGES = {
  dice: /3, 5, 17 · made in/,
  spell: /looking for animations|found after/,
  city: /cars in view/,
  fairground: /learning how|rides, of which/,
  meadow: /%|clumps/,
};

function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://page").pathname;
    const [from, to] = PARTS.find(([from]) => path.startsWith(from));
    const file = join(root, to, path.slice(from.length));
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

test("every page of the site starts", { skip: !existsSync(program) && "needs Chromium" }, async (t) => {
  const server = await serve();
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  const browser = await chromium.launch({ executablePath: program, args });
  t.after(async () => {
    await browser.close();
    server.close();
  });
  mkdirSync(join(root, "tests/shots"), { recursive: true });
  for (const [name, said] of Object.entries(PAGES)) {
    const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
    const troubles = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/${name}.html`);
    await page.waitForFunction((said) => new RegExp(said).test(document.querySelector("output").textContent), said.source);
    await page.screenshot({ path: join(root, `tests/shots/site-${name}.png`) });
    assert.equal(await page.textContent("[role=alert]"), "", name);
    assert.deepEqual(troubles, [], name);
    await page.close();
  }
});
