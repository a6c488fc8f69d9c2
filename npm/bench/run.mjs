// Does works in a page of Chromium: reads a line { throws, rounds, works } and prints a line
// { engine, works: [{ work, ms, bits }] }.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const request = JSON.parse(readFileSync(0, "utf8"));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const PAGE = '<!doctype html><script type="module">import { work } from "/bench/works.js"; window.work = work;</script>';

const server = createServer((asked, response) => {
  const path = new URL(asked.url, "http://page").pathname;
  if (path !== "/" && !existsSync(join(root, path))) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": path === "/" ? "text/html" : (TYPES[extname(path)] ?? "text/plain") });
  response.end(path === "/" ? PAGE : readFileSync(join(root, path)));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForFunction(() => window.work);
page.setDefaultTimeout(0);
const works = [];
for (const name of request.works) {
  const done = await page.evaluate(([name, amount]) => window.work(name, amount), [name, request]);
  works.push({ work: name, ...done });
}
console.log(JSON.stringify({ engine: `Chromium ${browser.version()}`, works }));
await browser.close();
server.close();
