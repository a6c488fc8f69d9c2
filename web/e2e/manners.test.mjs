// Manners: what the pages do when something is not as it should be. A server that is
// started again, two tabs on one thing, no WebGL, addresses and files that are none;
// and that everybody can use them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { changes, difference, openPage, PATIENCE, pixels, startBrowser, startStudio, stopStudios, until } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Every page, and what is there once it has been built; what takes long to be made is small. */
const PAGES = {
  "#/": ".card.own",
  "#/play/bounce": ".tree .row",
  "#/play/own": ".cm-content",
  "#/direct/table?n=2": ".want .face",
  "#/direct/bowling": ".spot.pin[data-body]",
  "#/rides": ".parts .row",
  "#/city?drive=off": ".costs[data-frames]",
  "#/collisions?bodies=30": ".panel.right [data-frames]",
  "#/lab": ".contents .row",
  "#/lab/lod-levels": ".paper h1",
  "#/study": ".found",
  "#/nowhere": ".home h1",
  // What these begin to learn and to grow takes the processor from whatever comes after them.
  "#/fairground?rides=8&stroll=off": ".costs[data-frames]",
  "#/field?flags=2": ".facts-list[data-frames]",
  "#/field/meadow?clumps=120": ".facts-list[data-frames]",
};
const STAGE = ".stage > canvas";
let studio;
let browser;

before(async () => {
  studio = await startStudio();
  browser = await startBrowser();
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

after(async () => {
  await browser?.close();
  await stopStudios();
  studio?.remove();
});

/** What axe finds on a page that keeps somebody from using it: by all rules, or by those that colours matter to. */
async function obstacles(page, rules = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]) {
  return page.evaluate(async (runOnly) => {
    const { violations } = await globalThis.axe.run(document, { runOnly });
    const serious = violations.filter(({ impact, id }) => impact === "serious" || impact === "critical" || id === "page-has-heading-one");
    return serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
  }, rules);
}

test("axe finds nothing serious on any page, in the light and in the dark", async () => {
  // What the pages begin to learn and to grow ends with a studio of their own.
  const own = await startStudio();
  const { page, context } = await openPage(browser, own.address, "#/rides", { bypassCSP: true });
  await page.evaluate(AXE);
  const found = [];
  for (const [address, built] of Object.entries(PAGES)) {
    // What the page before has left is not what is waited for.
    await page.evaluate(([to, awaited]) => {
      for (const old of document.querySelectorAll(awaited)) old.dataset.old = "true";
      location.hash = to;
    }, [address, built]);
    await page.waitForSelector(`${built}:not([data-old])`);
    // A row that is selected has colours of its own. Below a page that is read, that of before is kept.
    const row = page.locator(":is(.tree, .parts) .row:visible").first();
    if (await row.count()) await row.click();
    await page.emulateMedia({ colorScheme: "light" });
    for (const one of await obstacles(page)) found.push(`${address} light ${one}`);
    // The page is the same in the dark, but for its colours.
    await page.emulateMedia({ colorScheme: "dark" });
    for (const one of await obstacles(page, { type: "rule", values: ["color-contrast"] })) found.push(`${address} dark ${one}`);
  }
  assert.deepEqual(found, []);
  await context.close();
  await own.stop();
  own.remove();
});

test("charts follow the theme, and the light of the scene does not", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/rides/ship", { colorScheme: "light" });
  await page.waitForSelector(".stage[data-ride]");
  await page.focus(STAGE);
  await page.keyboard.press("Space");
  // What is drawn at rest is drawn once more, finely.
  const rested = async (before) => {
    await page.waitForFunction(([name, least]) => {
      const { drawn, pictures } = document.querySelector(name).dataset;
      return drawn === "fine" && Number(pictures) > least;
    }, [STAGE, before]);
    return Number(await page.getAttribute(STAGE, "data-pictures"));
  };
  const pictures = await rested(0);
  const chart = ".strip canvas";
  const [light, scene] = [await pixels(page, chart), await pixels(page, STAGE)];
  await page.emulateMedia({ colorScheme: "dark" });
  await rested(pictures);
  await changes(page, light, 20, chart);
  assert.ok(difference(scene, await pixels(page, STAGE)) < 20, "the scene is lit otherwise");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("addresses and files that are none are answered, and files never leave the studio", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/%E0%A4%A");
  await page.waitForSelector("h1:has-text('nothing at this address')");
  const drop = (name) =>
    page.evaluate((called) => {
      const data = new DataTransfer();
      data.items.add(new File(["?"], called));
      const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
      const over = event("dragover");
      document.body.dispatchEvent(over);
      const drop = event("drop");
      document.body.dispatchEvent(drop);
      return over.defaultPrevented && drop.defaultPrevented;
    }, name);
  let number = 0;
  for (const [address, title, help] of [["#/", "", "dropped on Play"], ["#/lab", "Lab", "dropped on Play"], ["#/study", "Study", "dropped on Play"], ["#/city?drive=off", "City", "road network"], ["#/play/bounce", "Play", "a scene"], ["#/collisions?bodies=30", "Collisions", "closed mesh"]]) {
    await page.evaluate((to) => (location.hash = to), address);
    await page.waitForFunction((name) => document.title.split(" · ")[1] === (name || undefined), title);
    number += 1;
    assert.ok(await drop(`holiday-${number}.jpg`), `${address}: the browser would open the file`);
    await page.waitForSelector(`.told .problem:has-text('holiday-${number}.jpg'):has-text('${help}')`);
  }
  // A mesh that the box cannot use is not kept.
  await page.waitForFunction(() => Number(document.querySelector(".facts-list[data-frames]")?.dataset.frames) > 2);
  const sheet = { name: "sheet.obj", mimeType: "text/plain", buffer: Buffer.from("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n") };
  await page.setInputFiles("input[type=file]", [sheet]);
  await page.waitForSelector(".panel.right .problem");
  await page.waitForFunction(async () => (await (await fetch("/api/meshes")).json()).length === 0);
  assert.deepEqual(troubles.filter((text) => !text.includes("422")), []);
  await context.close();
});

test("without WebGL a page says so, and does what it can", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.addInitScript(() => {
    const asked = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith("webgl") ? null : asked.call(this, kind, ...rest);
    };
  });
  for (const address of ["#/", "#/play/bounce", "#/city?drive=off"]) {
    await page.goto(`${studio.address}/${address}`);
    await page.reload();
    if (address !== "#/") await page.waitForSelector(".notice:has-text('WebGL')");
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test("two tabs on one ride and one scene: the second is told, and nothing is overwritten", async () => {
  const { page: first, context, troubles } = await openPage(browser, studio.address, "#/rides/octopus");
  const second = await context.newPage();
  await first.waitForSelector(".stage[data-ride]");
  await second.goto(`${studio.address}/#/rides/octopus`);
  await second.waitForSelector(".stage[data-ride]");
  const type = async (page, text) => {
    await page.bringToFront();
    await page.focus(".cm-content");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type(text);
  };
  await type(first, "# first\n");
  await first.waitForSelector(".ride-problems:has-text('Kept')");
  await type(second, "# second\n");
  await second.waitForSelector(".contest:has-text('changed in another tab')");
  const kept = async () => (await (await second.request.get(`${studio.address}/api/models/octopus`)).json()).toml;
  assert.match(await kept(), /^# first\n/);
  await second.click("text=Keep mine");
  await second.waitForSelector(".ride-problems:has-text('Kept')");
  assert.match(await kept(), /^# second\n/);

  for (const page of [first, second]) {
    await page.bringToFront();
    await page.evaluate(() => (location.hash = "#/play/own"));
    await page.waitForSelector(".cm-content");
  }
  await type(first, "# one\n");
  await second.waitForSelector(".contest");
  await type(second, "# two\n");
  const own = () => first.evaluate(() => JSON.parse(localStorage.getItem("proscenium.own-scene")));
  assert.match(await own(), /^# one\n/);
  await second.click("text=Take theirs");
  assert.match(await second.innerText(".cm-content"), /^# one\n/);
  assert.deepEqual(troubles.filter((text) => !text.includes("409")), []);
  await context.close();
});

/** Takes the studio away while somebody edits something, and brings it back. */
async function restarted(page, edit) {
  const { port } = new URL(studio.address);
  await studio.stop();
  await edit();
  await page.waitForSelector(".lost:has-text('does not answer')");
  studio = await startStudio(studio.workspace, port);
  await page.waitForFunction(() => document.querySelector(".lost").childElementCount === 0);
  // What was told while it was away goes with the first answer.
  await page.waitForFunction(() => document.querySelector(".notice") === null);
}

const small = { viewport: { width: 820, height: 480 } };

test("what is looked at and what is read come back by themselves on every other page", async () => {
  const { page: city, context } = await openPage(browser, studio.address, "#/city?drive=off", small);
  const opened = async (address, built) => {
    const page = await context.newPage();
    await page.goto(`${studio.address}/${address}`);
    await page.waitForSelector(built);
    return page;
  };
  const frames = ".costs[data-frames], .panel.right [data-frames]";
  await city.waitForSelector(frames);
  const lab = await opened("#/lab", ".contents .row");
  const study = await opened("#/study", ".found");
  const collisions = await opened("#/collisions?bodies=30", frames);
  const seen = (page) => page.evaluate((name) => Number(document.querySelector(name).dataset.frames), frames);
  const before = [await seen(city), await seen(collisions)];
  // What is asked for meanwhile is answered afterwards.
  await restarted(collisions, async () => {
    await lab.evaluate(() => (location.hash = "#/lab/lod-levels"));
    await study.evaluate(() => (location.hash = "#/study/gap"));
    for (const page of [lab, study]) await page.waitForSelector(".lost:has-text('does not answer')");
  });
  await lab.waitForSelector(".paper h1:has-text('lod-levels')");
  await study.waitForSelector(".contents [aria-current][href='#/study/gap']");
  for (const page of [lab, study]) await page.waitForFunction(() => document.querySelector(".lost").childElementCount === 0 && !document.querySelector(".problem"));
  for (const [page, least] of [[collisions, before[1]], [city, before[0]]]) {
    await page.bringToFront();
    await until("frames come again", async () => (await seen(page)) > least);
  }
  await context.close();
});

test("a ride that was edited while the studio was away is kept when it is back", async () => {
  const { page, context } = await openPage(browser, studio.address, "#/rides/ship", small);
  await page.waitForSelector(".stage[data-ride]");
  await page.waitForSelector(".cm-content");
  await restarted(page, async () => {
    await page.focus(".cm-content");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# meanwhile\n");
  });
  await page.waitForSelector(".ride-problems:has-text('Kept')");
  // What was kept before may still be told: the server has the last word.
  const kept = async () => (await (await page.request.get(`${studio.address}/api/models/ship`)).json()).toml;
  await until("what was edited is kept", async () => (await kept()).startsWith("# meanwhile\n"));
  await context.close();
});

test("wants and seeds that were edited while the studio was away are sent when it is back", async () => {
  const { page, context } = await openPage(browser, studio.address, "#/direct/table?n=1", small);
  await page.waitForSelector(".want");
  // What cannot be said twice is said once, when somebody listens.
  await restarted(page, async () => {
    await page.click(".want [aria-label='shows 2']");
    await page.click("text=▶ Run");
  });
  await page.waitForSelector(".run-view .count[data-state]");
  await page.waitForSelector("button.primary[data-scene=sound]");
  assert.equal(await page.locator(".problem").count(), 0);
  assert.equal((await (await page.request.get(`${studio.address}/api/runs`)).json()).length, 1);
  await page.evaluate(() => (location.hash = "#/play/bounce"));
  await page.waitForFunction(() => document.querySelector("input[aria-label=Time]")?.disabled === false);
  await restarted(page, async () => {
    await page.fill("[aria-label=Seed]", "7");
    await page.keyboard.press("Tab");
  });
  await page.waitForFunction(() => location.hash.includes("seed=7") && document.querySelector(".timeline .facts").textContent.includes("events"));
  await context.close();
});

// The last one: the rides that it begins to learn are learned as long as the studio goes on.
test("a live page recovers from a restart by itself, with what was switched meanwhile", async () => {
  const { page, context } = await openPage(browser, studio.address, "#/fairground?rides=8&stroll=off", small);
  const frames = (least) => page.waitForFunction((more) => Number(document.querySelector(".costs")?.dataset.frames) > more, least);
  await frames(3);
  await restarted(page, () => page.evaluate(() => document.querySelector("#culling").click()));
  await page.waitForSelector(".costs[data-culling=false]");
  await frames(await page.evaluate(() => Number(document.querySelector(".costs").dataset.frames)));
  await context.close();
});
