// A real server, a real browser, and what tests ask of both.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const shots = join(here, "shots");
mkdirSync(shots, { recursive: true });

/** How long something is waited for, ms: a machine may be slow, and no test says how fast it is. */
export const PATIENCE = 300_000;

/** Waits until something holds, and gives what it is. */
export async function until(what, holds, pause = 100) {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited ${PATIENCE / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const running = new Set();

/** Stops every studio that still runs, as after a test that failed. */
export async function stopStudios() {
  for (const stop of [...running]) await stop();
}

/** Starts the studio with an empty workspace, or one that was used before. */
export async function startStudio(workspace = mkdtempSync(join(tmpdir(), "studio-")), port = 0) {
  const program = process.env.STUDIO_PROGRAM;
  const options = ["--port", String(port), "--workspace", workspace];
  const cargo = ["run", "--quiet", "--locked", "-p", "proscenium-studio", "--", ...options];
  const server = program ? spawn(program, options) : spawn("cargo", cargo, { cwd: join(here, "../..") });
  server.stderr.pipe(process.stderr);
  const address = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const found = /http:\/\/[^\s]+/.exec(text);
      if (found) resolve(found[0]);
    });
    server.on("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
  });
  const stop = async () => {
    running.delete(stop);
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGINT");
    await ended;
  };
  running.add(stop);
  const remove = () => rmSync(workspace, { recursive: true, force: true });
  return { address, workspace, stop, remove };
}

/** Starts Chromium; it draws with the processor, so scenes are small here. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page that remembers what went wrong in it. */
export async function openPage(browser, address, hash = "#/", options = {}) {
  // A processor draws here: half of the pixels along each side say as much to those who compare pictures.
  const usual = { viewport: { width: 1160, height: 640 }, deviceScaleFactor: 0.5, acceptDownloads: true };
  const context = await browser.newContext({ ...usual, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  await page.goto(`${address}/${hash}`);
  return { page, context, troubles };
}

/** The pixels of a canvas, small: how many colours there are, and all of them. */
export function pixels(page, selector) {
  return page.evaluate((name) => {
    const source = document.querySelector(name);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [96, 60];
    const context = canvas.getContext("2d");
    // A view that has no size yet, or is not there, shows nothing.
    if (source?.width > 0 && source.height > 0) context.drawImage(source, 0, 0, 96, 60);
    const data = Array.from(context.getImageData(0, 0, 96, 60).data);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return { data, colours: colours.size };
  }, selector);
}

/** In how many places two pictures differ. */
export function difference(a, b) {
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const apart = [0, 1, 2].reduce((sum, channel) => sum + Math.abs(a.data[at + channel] - b.data[at + channel]), 0);
    if (apart > 24) count += 1;
  }
  return count;
}

/** Waits until a canvas shows something that is not one colour. */
export async function painted(page, selector, least = 40) {
  let seen;
  await until(`${selector} shows more than ${least} colours`, async () => (seen = await pixels(page, selector)).colours > least);
  return seen;
}

/** Waits until a canvas shows something else than it did, in more than so many places. */
export async function changes(page, before, least, selector) {
  await until(`${selector} differs in more than ${least} places`, async () => difference(before, await pixels(page, selector)) > least);
}

/** Begins to look at a canvas in the page itself: what moves there may be over before anybody asks from outside. */
export function watch(page, selector) {
  return page.evaluate((name) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 96, height: 60 });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const watched = { first: null, most: 0 };
    window.watched = watched;
    watched.timer = setInterval(() => {
      const source = document.querySelector(name);
      if (!(source?.width > 0 && source.height > 0)) return;
      context.drawImage(source, 0, 0, 96, 60);
      const { data } = context.getImageData(0, 0, 96, 60);
      watched.first ??= data;
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        const apart = [0, 1, 2].reduce((sum, channel) => sum + Math.abs(watched.first[at + channel] - data[at + channel]), 0);
        if (apart > 24) count += 1;
      }
      watched.most = Math.max(watched.most, count);
    }, 50);
  }, selector);
}

/** Waits until what is watched differed in more than so many places from how it was at first. */
export async function moved(page, least) {
  await until(`it moves in more than ${least} places`, () => page.evaluate((most) => window.watched.most > most, least));
  await page.evaluate(() => clearInterval(window.watched.timer));
}
