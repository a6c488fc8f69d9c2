// Pictures of every page, as somebody sees it: `node e2e/pictures.mjs FOLDER [PAGE…]`.
// In two sizes, in the light and in the dark, drawn finely although the processor draws,
// unless FAST is set. STUDIO_ADDRESS names a studio that runs already, and VIEWS which
// pictures are enough: VIEWS=1280-light,1920-dark.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startBrowser, startStudio } from "./browser.mjs";

const [folder = "pictures", ...chosen] = process.argv.slice(2);
const SIZES = [[1280, 720], [1920, 1080]];
const hasDrawn = (name, least) => [([element, more]) => Number(document.querySelector(element)?.dataset.frames) > more, [name, least]];

/** Sets a share of the time, and waits until it is drawn. */
async function at(page, share) {
  await page.waitForFunction(() => document.querySelector("input[aria-label=Time]")?.disabled === false);
  if (await page.locator("[data-playing]").count()) await page.click("[aria-label^='Play or pause']");
  await page.evaluate((part) => {
    const slider = document.querySelector("input[aria-label=Time]");
    slider.value = String(part * Number(slider.max));
    slider.dispatchEvent(new Event("input"));
  }, share);
}

/** Directs, until so many are found. */
async function run(page, animations) {
  await page.fill("label:has-text('animations') input", String(animations));
  await page.click("text=▶ Run");
  await page.waitForSelector(".run-view .count[data-state=finished]", { timeout: 600_000 });
  await page.waitForFunction((least) => document.querySelectorAll(".tile canvas[data-moving]").length >= Math.min(least, 4, document.querySelectorAll(".tile").length), animations);
}

/** Every page: its address, and what to wait for or to do. */
const PAGES = {
  home: ["#/", (page) => page.waitForFunction(() => document.querySelectorAll(".card canvas[data-moving]").length >= 6, null, { timeout: 240_000 })],
  play: ["#/play/dice?seed=2", async (page) => {
    await at(page, 1);
    await page.click(".tree .row >> nth=1");
  }],
  bounce: ["#/play/bounce", (page) => at(page, 0.3)],
  own: ["#/play/own", async (page) => {
    await page.waitForSelector(".cm-content");
    await at(page, 0.4);
  }],
  direct: ["#/direct/table?n=2", async (page) => {
    await run(page, 6);
    await at(page, 1);
  }],
  pins: ["#/direct/bowling", async (page) => {
    await page.waitForFunction(() => document.querySelectorAll(".spot.pin[data-body]").length === 10);
    await page.click(".spot[data-body=pin-7]");
    await page.click(".spot[data-body=pin-10]");
    await at(page, 0);
  }],
  spell: ["#/direct/spell?text=HI", async (page) => {
    await run(page, 4);
    await at(page, 1);
  }],
  fairground: ["#/fairground?stroll=off", async (page) => {
    await page.waitForFunction(...hasDrawn(".costs", 3));
    await page.waitForTimeout(2000);
  }],
  rides: ["#/rides/octopus", async (page) => {
    await page.waitForSelector(".stage[data-ride]");
    await page.click(".parts .row >> nth=1");
    await page.waitForTimeout(500);
  }],
  city: ["#/city?drive=off", async (page) => {
    await page.waitForFunction(...hasDrawn(".costs", 3));
    await page.waitForTimeout(4000);
  }],
  bird: ["#/city?drive=off", async (page) => {
    await page.waitForFunction(...hasDrawn(".costs", 3));
    await page.click("text=Bird’s eye");
    await page.waitForTimeout(4000);
  }],
  collisions: ["#/collisions?bodies=60", async (page) => {
    await page.waitForFunction(...hasDrawn(".panel.right [data-frames]", 20));
  }],
  field: ["#/field?flags=6&pointer=off", async (page) => {
    await page.waitForSelector(".facts-list[data-walks=true]", { timeout: 600_000 });
    await page.waitForTimeout(3000);
  }],
  meadow: ["#/field/meadow?pointer=off", async (page) => {
    await page.waitForFunction(() => Number(document.querySelector(".facts-list")?.dataset.shown) > 10, null, { timeout: 600_000 });
    await page.waitForTimeout(3000);
  }],
  lab: ["#/lab", (page) => page.waitForSelector(".contents .row")],
  experiment: ["#/lab/lod-levels", (page) => page.waitForSelector(".paper")],
  study: ["#/study", (page) => page.waitForSelector(".contents, .found, .paper")],
  nowhere: ["#/nowhere", (page) => page.waitForSelector("h1")],
};

mkdirSync(folder, { recursive: true });
const studio = process.env.STUDIO_ADDRESS ? { address: process.env.STUDIO_ADDRESS, stop() {}, remove() {} } : await startStudio();
const browser = await startBrowser();
for (const [name, [address, ready]] of Object.entries(PAGES)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "light" });
  if (!process.env.FAST) await context.addInitScript(() => localStorage.setItem("proscenium.finely", "true"));
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on("pageerror", (error) => console.error(name, String(error)));
  try {
    await page.goto(`${studio.address}/${address}`);
    await ready(page);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      for (const theme of ["light", "dark"]) {
        if (process.env.VIEWS && !process.env.VIEWS.split(",").includes(`${width}-${theme}`)) continue;
        await page.emulateMedia({ colorScheme: theme });
        await page.waitForTimeout(1200);
        await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
      }
    }
    console.log(name);
  } catch (problem) {
    console.error(name, String(problem));
    await page.screenshot({ path: join(folder, `${name}-failed.png`) }).catch(() => {});
  }
  await context.close();
}
await browser.close();
await studio.stop();
studio.remove();
