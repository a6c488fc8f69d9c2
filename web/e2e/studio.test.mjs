// Every page in a real browser against the real server: what is shown, what it
// does, and that nothing goes wrong in silence. State and pixels are asserted,
// never a frame rate.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { changes as differs, moved, openPage, painted, pixels, shots, startBrowser, startStudio, stopStudios, until, watch } from "./browser.mjs";

const STAGE = ".stage > canvas";
let studio;
let browser;

before(async () => {
  studio = await startStudio();
  browser = await startBrowser();
});

// A page that a failure left open would go on drawing beside the next ones.
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

after(async () => {
  await browser?.close();
  await stopStudios();
  studio?.remove();
});

/** Waits until the large view shows something that is not one colour, and can be scrubbed. */
async function shown(page) {
  await page.waitForFunction(() => document.querySelector("input[aria-label=Time]")?.disabled === false);
  return painted(page, STAGE);
}

/** Sets the time by hand, and waits until it is what is seen. */
async function scrub(page, share) {
  if (await page.locator("[data-playing]").count()) await page.click("[aria-label^='Play or pause']");
  await page.evaluate((part) => {
    const slider = document.querySelector("input[aria-label=Time]");
    slider.value = String(part * Number(slider.max));
    slider.dispatchEvent(new Event("input"));
  }, share);
  await page.waitForFunction((name) => Number(document.querySelector(name).dataset.time) === Number(document.querySelector("input[aria-label=Time]").value), STAGE);
  return pixels(page, STAGE);
}

/** Waits until a picture becomes another one. */
const changes = (page, before, least, selector = STAGE) => differs(page, before, least, selector);

test("home shows moving pictures that lead to the pages", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address);
  await page.waitForSelector(".card canvas[data-moving]");
  const first = await painted(page, ".card canvas[data-moving]", 30);
  await page.waitForFunction(() => document.querySelectorAll(".card canvas[data-moving]").length >= 6);
  await changes(page, first, 3, ".card canvas[data-moving]");
  await page.screenshot({ path: join(shots, "home.png") });
  await page.click("text=Bounce");
  await shown(page);
  assert.match(page.url(), /#\/play\/bounce/);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a scene is played, scrubbed, selected and exported", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/bounce?seed=2");
  await shown(page);
  await page.keyboard.press("Space");
  const start = await scrub(page, 0);
  await scrub(page, 1);
  await changes(page, start, 20);
  await page.click(".tree .row:has-text('ball')");
  assert.ok((await page.textContent(".panel.right")).includes("collisions"));
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Export .glb")]);
  assert.equal(file.suggestedFilename(), "bounce.glb");
  assert.ok(statSync(await file.path()).size > 10_000);
  await page.fill("label:has-text('restitution') input", "7");
  await page.waitForSelector(".problem");
  assert.match(await page.textContent(".problem"), /restitution/);
  await page.screenshot({ path: join(shots, "play-problem.png") });
  assert.deepEqual(troubles.filter((text) => !text.includes("422")), []);
  await context.close();
});

test("many bodies are streamed and drawn as instances", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/gas?n=310&duration=0.5");
  await shown(page);
  await page.keyboard.press("Space");
  const start = await scrub(page, 0);
  await scrub(page, 0.9);
  await changes(page, start, 20);
  await page.screenshot({ path: join(shots, "play-many.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a scene of one's own is checked as it is typed", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/own");
  await shown(page);
  const text = await page.innerText(".cm-content");
  await page.fill(".cm-content", text.replace("density = 1850.0", "density = -900.0"));
  await page.waitForSelector(".problem pre");
  assert.match(await page.textContent(".problem"), /density = -900/);
  await page.waitForSelector(".cm-lintRange");
  await page.screenshot({ path: join(shots, "own.png") });
  await page.focus(".cm-content");
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelector(".problem") === null);
  assert.equal(await page.innerText(".cm-content"), text);
  assert.deepEqual(troubles.filter((message) => !message.includes("422")), []);
  await context.close();
});

test("two dice are directed to six and six", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/direct/table?n=2");
  await shown(page);
  assert.equal(await page.locator(".want").count(), 2);
  // A new want names the die that is left, and has the focus; a face that is chosen keeps it.
  await page.locator("[aria-label='Take this want away']").last().click();
  await page.click("text=+ shows a face");
  assert.equal(await page.evaluate(() => document.activeElement.value), "die-2");
  await page.locator(".want [aria-label='shows 6']").last().click();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "shows 6");
  await page.waitForSelector("button.primary[data-scene=sound]");
  await page.fill("label:has-text('animations') input", "4");
  await page.click("text=▶ Run");
  await page.waitForSelector(".run-view .count[data-state=finished]");
  assert.ok(Number(await page.getAttribute(".run-view .count", "data-different")) >= 4);
  await page.waitForSelector(".tile canvas[data-moving]");
  assert.match(page.url(), /#\/runs\/table-\d+\/\d+/);
  // One that has ended goes on from there.
  await page.click("text=Find more");
  await page.waitForFunction(() => Number(document.querySelector(".run-view .count[data-state=finished]")?.dataset.different) >= 8);
  // A tile for each kind, with the others of it behind.
  const [, run] = /#\/runs\/(table-\d+)/.exec(page.url());
  const entries = await (await page.request.get(`${studio.address}/api/runs/${run}/entries`)).json();
  const kinds = new Set(entries.map((entry) => entry.group)).size;
  await page.waitForFunction((many) => document.querySelectorAll(".tile").length === Math.min(many, 24), kinds);
  await page.screenshot({ path: join(shots, "direct-dice.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("pins are clicked to fall, to stand or as they like, and a pocket is clicked", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/direct/bowling");
  await page.waitForFunction(() => document.querySelectorAll(".spot.pin[data-body]").length === 10);
  const pin = (number) => page.locator(`.spot[data-body=pin-${number}]`);
  const said = () => page.locator("input[aria-label=Want]").evaluateAll((fields) => fields.map((field) => field.value));
  assert.deepEqual(await said(), ["all fall"]);
  await pin(6).click();
  await pin(7).click();
  assert.equal(await pin(7).getAttribute("data-state"), "stands");
  assert.deepEqual(await said(), ["pin-6 and pin-7 stand", "others fall"]);
  await page.waitForSelector("button.primary[data-scene=sound]");
  await page.screenshot({ path: join(shots, "direct-pins.png") });
  for (const number of [1, 1, 6, 7]) await pin(number).click();
  assert.equal(await pin(1).getAttribute("data-state"), "free");
  assert.deepEqual(await said(), ["pin-2 and pin-3 and pin-4 and pin-5 and pin-8 and pin-9 and pin-10 fall"]);
  // A new want is empty and has the focus; one that is not finished keeps nobody from running,
  // and one that is wrong is told of as soon as somebody does.
  await page.click("text=+ in words");
  await page.keyboard.type("pin-1 fal");
  assert.deepEqual(await said(), ["pin-2 and pin-3 and pin-4 and pin-5 and pin-8 and pin-9 and pin-10 fall", "pin-1 fal"]);
  await page.waitForSelector("button.primary[data-scene=wrong]:not([disabled])");
  await page.click("text=▶ Run");
  await page.waitForSelector(".problem:focus");
  await page.locator(".want input[aria-label=Want]").last().fill("pin-1");
  await page.waitForSelector("button.primary[data-scene=sound]");
  await page.goto(`${studio.address}/#/direct/billiards`);
  await page.waitForFunction(() => document.querySelectorAll(".spot.pocket").length === 6);
  assert.equal(await page.locator(".panel.wall h2").count(), 1, "the gallery is gone");
  await page.click("[data-body='far right pocket']");
  await page.click(".spot[data-body=ball-2]");
  assert.deepEqual(await said(), ["ball-2 rests in far right pocket"]);
  await page.waitForSelector("button.primary[data-scene=sound]");
  assert.equal(await page.locator(".problem").count(), 0);
  await page.screenshot({ path: join(shots, "direct-pockets.png") });
  assert.deepEqual(troubles.filter((message) => !message.includes("422")), []);
  await context.close();
});

test("marbles spell HI; a result is played, compared, kept and exported", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/direct/spell?text=I");
  // What is edited is drawn at once: the box of another word, and then of this one.
  const shows = async (text) => {
    const order = { scene: { builtin: "spell", text }, seed: 1 };
    const take = await (await page.request.post(`${studio.address}/api/takes`, { data: order, headers: { origin: studio.address } })).json();
    await page.waitForSelector(`.stage[data-take='${take.id}']`);
  };
  await shown(page);
  await page.fill(".word", "HELLO");
  await shows("HELLO");
  await page.fill(".word", "HI");
  await shows("HI");
  await shown(page);
  await page.waitForFunction(() => document.querySelectorAll(".letters .filled").length === 10);
  await page.fill("label:has-text('animations') input", "1");
  const sketch = await page.getAttribute(".stage", "data-take");
  await page.focus(".word");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".run-view .count[data-state=finished]");
  await page.waitForSelector(".tile canvas[data-moving]");
  // What is found is played by itself.
  await page.waitForFunction((before) => document.querySelector(".stage").dataset.take !== before, sketch);
  const start = await scrub(page, 0);
  await scrub(page, 1);
  await changes(page, start, 10);
  const tile = page.locator(".tile").first();
  await tile.locator("button.star").click();
  await page.waitForSelector("text=Export ★ (1)");
  const [file] = await Promise.all([page.waitForEvent("download"), tile.locator("[aria-label^=Export]").click()]);
  assert.match(file.suggestedFilename(), /^spell-hi-\d+\.glb$/);
  await page.click(".wall-head >> text=Trails");
  await page.waitForSelector(".wall-head [aria-pressed=true]:has-text('Trails')");
  await page.screenshot({ path: join(shots, "direct-spell.png") });
  await tile.locator("[aria-label^=Compare]").click();
  await page.waitForSelector(".stage[data-sides='2']");
  await page.screenshot({ path: join(shots, "direct-compare.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

// What is wanted is out of reach, so that the run never ends by itself.
test("a run is stopped, and resumed; what came nearest is told", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/direct/table?n=1");
  await page.fill(".want [aria-label=x]", "9");
  await page.waitForSelector("button.primary[data-scene=sound]");
  await page.click("text=▶ Run");
  await page.waitForSelector(".run-view .nearest:has-text('1 of 2 wants met')");
  const simulations = async () => Number(await page.getAttribute(".run-view .count", "data-simulations"));
  await page.click("text=■ Stop");
  await page.waitForSelector(".run-view .count[data-state=stopped]");
  const before = await simulations();
  await page.click(".run-view >> text=Resume");
  await page.waitForFunction((least) => Number(document.querySelector(".run-view .count[data-state=running]")?.dataset.simulations) > least, before);
  await page.click("text=■ Stop");
  await page.waitForSelector(".run-view .count[data-state=stopped]");
  assert.ok((await simulations()) > before, "it began anew");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("temporal bounds are shown on demand", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/dice?seed=2");
  await shown(page);
  await page.keyboard.press("Space");
  const bare = await scrub(page, 0.2);
  await page.click("[aria-label='Temporal bounds']");
  await page.waitForFunction(() => Number(document.querySelector(".stage").dataset.bounds) === 5);
  await changes(page, bare, 10);
  await page.screenshot({ path: join(shots, "play-bounds.png") });
  await page.click("[aria-label='Temporal bounds']");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a density is changed where it is shown, and the address keeps it", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/table?n=1");
  await shown(page);
  const row = page.locator("details[data-variable]").first();
  const name = await row.getAttribute("data-variable");
  await row.locator("summary").click();
  await row.locator("select").selectOption("uniform");
  await page.waitForSelector(`details.changed[data-variable="${name}"]`);
  await page.fill(`[aria-label="low of ${name}"]`, "0.5");
  await page.fill(`[aria-label="high of ${name}"]`, "0.6");
  await page.keyboard.press("Tab");
  await page.waitForFunction((variable) => document.querySelector(`[data-variable="${variable}"] small`)?.textContent.includes("0.5 to 0.6"), name);
  await page.screenshot({ path: join(shots, "density.png") });
  await page.reload();
  await shown(page);
  assert.match(await row.textContent(), /uniform from 0\.5 to 0\.6/);
  await row.locator("summary").click();
  await row.locator("text=as it was").click();
  await page.waitForFunction(() => document.querySelector("details.changed") === null);
  // Between two numbers the low one may be above the high one.
  assert.deepEqual(troubles.filter((message) => !message.includes("422")), []);
  await context.close();
});

test("a mesh is uploaded and used by a scene; a broken one is refused", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/own");
  await shown(page);
  const corner = "v 0 0 0\nv .2 0 0\nv 0 .2 0\nv 0 0 .2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.setInputFiles("input[type=file]", [file("corner.obj", corner)]);
  await page.click(".mesh >> text=corner.obj");
  await page.waitForSelector(".tree .row:has-text('corner')");
  await shown(page);
  assert.equal(await page.locator(".problem").count(), 0);
  await page.screenshot({ path: join(shots, "mesh.png") });
  await page.setInputFiles("input[type=file]", [file("broken.obj", "v 0 0\nf 1 2 3\n")]);
  await page.waitForSelector(".problem");
  assert.match(await page.textContent(".problem"), /not OBJ/);
  assert.deepEqual(troubles.filter((message) => !message.includes("422")), []);
  await context.close();
});

test("the fairground runs, is culled or not, and tells what that costs", async () => {
  // The other rides are learned as long as the studio goes on: this one ends with the test.
  const own = await startStudio();
  const { page, context, troubles } = await openPage(browser, own.address, "#/fairground?rides=8&stroll=off");
  await page.waitForFunction(() => document.querySelectorAll(".kinds .kind").length === 8);
  await page.waitForFunction(() => Number(document.querySelector(".costs")?.dataset.frames) > 3);
  const picture = await painted(page, STAGE);
  await changes(page, picture, 5);
  await page.uncheck("#culling");
  await page.waitForSelector(".costs[data-culling=false]");
  assert.match(page.url(), /culling=off/);
  await page.check("#culling");
  await page.waitForSelector(".costs[data-culling=true]");
  // The coaster is learned first, and in a moment.
  await page.waitForSelector(".kind[data-ride=roller-coaster][data-learned=true]");
  await page.click(".kind[data-ride=roller-coaster]");
  await page.waitForSelector(".panel.right a:has-text('Report')");
  await page.waitForSelector(".state.now[data-regime='0'], .state.now[data-regime='1'], .state.now[data-regime='2']");
  const report = await page.getAttribute(".panel.right a:has-text('Report')", "href");
  const answer = await page.request.get(own.address + report);
  assert.equal(answer.status(), 200);
  assert.match(await answer.text(), /comes around every/);
  await page.focus(STAGE);
  const still = await pixels(page, STAGE);
  await page.keyboard.down("w");
  await changes(page, still, 60);
  await page.keyboard.up("w");
  await page.screenshot({ path: join(shots, "fairground.png") });
  assert.deepEqual(troubles, []);
  await context.close();
  await own.stop();
  own.remove();
});

test("a ride is built from nothing, moves, is compiled and exported", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/rides");
  await page.waitForSelector(".stage[data-ride]");
  await page.click("text=New …");
  await page.fill("[aria-label='Name of the new ride']", "First ride");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#/rides/first-ride");
  await page.waitForSelector(".parts [data-part=post]");
  // An arm that turns about the post, and a seat at its end.
  await page.click("text=+ rotation");
  await page.selectOption("[aria-label='What angle follows']", "turning");
  await page.click("text=+ box");
  await page.fill("[aria-label='move x']", "2");
  await page.keyboard.press("Tab");
  await page.waitForSelector(".ride-problems[data-state=sound]");
  await page.waitForFunction(() => document.querySelector(".meter")?.dataset.outputs === "1");
  const before = await pixels(page, STAGE);
  await changes(page, before, 5);
  // The handles: the seat is dragged by the middle of them.
  const handles = async () => {
    await page.waitForSelector(".stage[data-handles]");
    const [kind, x, y] = (await page.getAttribute(".stage", "data-handles")).split(" ");
    const box = await page.locator(STAGE).boundingBox();
    return { kind, x: box.x + Number(x) * box.width, y: box.y + Number(y) * box.height };
  };
  await page.focus(STAGE);
  await page.keyboard.press("Space");
  const drag = async () => {
    const { x, y } = await handles();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y - 40, { steps: 4 });
    await page.mouse.up();
  };
  await drag();
  await page.waitForFunction(() => document.querySelector("[aria-label='move y']")?.value !== "0.5");
  await page.waitForSelector(".ride-problems[data-state=sound]");
  await page.keyboard.press("r");
  assert.equal((await handles()).kind, "turn");
  // A seat that is turned has an axis and an angle.
  assert.equal(await page.locator("[aria-label='angle']").count(), 0);
  await drag();
  await page.waitForSelector("[aria-label='angle']");
  await page.click("text=Undo");
  await page.click("text=Undo");
  await page.waitForFunction(() => document.querySelector("[aria-label='move y']")?.value === "0.5");
  await page.focus(STAGE);
  await page.keyboard.press("Space");
  // The hierarchy by the keyboard, and by dragging.
  const order = () => page.locator(".parts .row").evaluateAll((rows) => rows.map((row) => `${row.closest("li").getAttribute("aria-level")} ${row.dataset.part}`));
  assert.deepEqual(await order(), ["1 post", "2 rotation", "3 box"]);
  await page.click(".parts [data-part=box]");
  await page.focus(".parts [data-part=box]");
  await page.keyboard.press("Alt+ArrowLeft");
  assert.deepEqual(await order(), ["1 post", "2 rotation", "2 box"]);
  await page.dragAndDrop(".parts [data-part=box]", ".parts [data-part=rotation]");
  assert.deepEqual(await order(), ["1 post", "2 rotation", "3 box"]);
  await page.click("text=Duplicate");
  assert.deepEqual(await order(), ["1 post", "2 rotation", "3 box", "3 box 2"]);
  await page.click("text=Undo");
  assert.deepEqual(await order(), ["1 post", "2 rotation", "3 box"]);
  // A mistake in the equations is shown where it is.
  const text = await page.innerText(".cm-content");
  await page.fill(".cm-content", text.replace("turn t", "turm t"));
  await page.waitForSelector(".ride-problems[data-state=wrong]");
  assert.match(await page.textContent(".ride-problems"), /turm/);
  await page.screenshot({ path: join(shots, "rides-problem.png") });
  await page.fill(".cm-content", text);
  await page.waitForSelector(".ride-problems[data-state=sound]");
  await page.click(".compiled button.primary");
  await page.waitForSelector(".compiled[data-state=finished]");
  await page.screenshot({ path: join(shots, "rides.png") });
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".compiled a[download$='.html']")]);
  assert.equal(file.suggestedFilename(), "first-ride.html");
  const saved = join(shots, "first-ride.html");
  await file.saveAs(saved);
  const alone = await context.newPage();
  await alone.goto(`file://${saved}`);
  await changes(alone, await painted(alone, "canvas", 5), 5, "canvas");
  await alone.close();
  await page.reload();
  await page.waitForSelector(".compiled[data-state=finished]");
  assert.deepEqual(await order(), ["1 post", "2 rotation", "3 box"]);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("collisions keep their budget, follow the pointer, and take a mesh", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/collisions?bodies=30&budget=300");
  const figures = ".panel.right [data-frames]";
  await page.waitForFunction((name) => Number(document.querySelector(name)?.dataset.frames) > 3, figures);
  const picture = await painted(page, STAGE);
  await changes(page, picture, 5);
  assert.equal(await page.getAttribute(figures, "data-budget"), "300");
  await page.hover(STAGE, { position: { x: 200, y: 100 } });
  await page.waitForFunction((name) => /^0\.\d+ 0\.\d+$/.test(document.querySelector(name)?.dataset.gaze ?? ""), figures);
  await page.screenshot({ path: join(shots, "collisions.png") });
  const corner = "v 0 0 0\nv .2 0 0\nv 0 .2 0\nv 0 0 .2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  await page.setInputFiles("input[type=file]", [{ name: "wedge.obj", mimeType: "text/plain", buffer: Buffer.from(corner) }]);
  await page.waitForSelector(".kinds[data-filling='wedge.obj']");
  assert.equal(await page.locator(".problem").count(), 0);
  assert.deepEqual(troubles, []);
  await context.close();
});

/** From the consent to the first trial that counts; then `begun`, and it begins. */
async function takePart(page, begun = async () => {}) {
  await page.click("text=▶ Take part");
  assert.equal(await page.isDisabled("text=I agree: begin"), true);
  await page.check("#consent");
  await page.click("text=I agree: begin");
  await page.click("text=Show the examples");
  for (let example = 1; example <= 2; example += 1) await page.click(".notice >> text=Go on");
  await page.waitForSelector(".notice >> text=Begin");
  await begun();
  await page.click(".notice >> text=Begin");
}

/** Waits until so many answers are kept. */
const answered = (page, study, many) =>
  until(`${many} answers are kept`, async () => (await (await page.request.get(`${studio.address}/api/studies/${study}/answers.csv`)).text()).trim().split("\n").length === many + 1);

test("people take part in an experiment, stop, go on, and their answers are analysed", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/study");
  await page.waitForSelector(".found .empty");
  await takePart(page, () => watch(page, STAGE));
  await page.waitForSelector(".ratings");
  await moved(page, 5);
  await page.screenshot({ path: join(shots, "study-rating.png") });
  await page.keyboard.press("2");
  await page.waitForSelector(".stage[data-trial]:not([data-trial='1'])");
  await page.waitForSelector(".ratings");
  await page.click(".ratings >> text=3");
  await answered(page, "causality", 2);
  await page.keyboard.press("Escape");
  await page.click("text=Person 1 goes on");
  await page.waitForSelector("text=Show the examples");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".found .count[data-complete='0']");
  const answers = await (await page.request.get(`${studio.address}/api/studies/causality/answers.csv`)).text();
  const lines = answers.trim().split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[1], /^1,1,1,\d+,\d+ ms,\d+ %,\d+ degrees,2,0,/);
  // Two people who mind the delay, as if they had clicked through it all.
  for (let person = 2; person <= 3; person += 1) {
    const ask = (path, data) => page.request.post(`${studio.address}/api/studies/causality/people${path}`, { data, headers: { origin: studio.address } });
    const { trials } = await (await ask("", { consent: true })).json();
    for (const { number, condition } of trials) await ask(`/${person}/answers`, { number, rating: 1 + Math.floor((condition - 1) / 9), clicks: 0, seconds: 1 });
  }
  await page.reload();
  await page.waitForSelector(".found .count[data-complete='2']");
  assert.equal(await page.locator("svg.effect").count(), 3);
  await page.screenshot({ path: join(shots, "study.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("the experiment with the gaze is live, and clicks are kept", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/study/gaze?seconds=0.7");
  await takePart(page);
  for (let trial = 1; trial <= 2; trial += 1) {
    await page.mouse.click(120, 300);
    await page.waitForSelector(".ratings");
    await page.keyboard.press("4");
  }
  await answered(page, "gaze", 2);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".found .count");
  const answers = await (await page.request.get(`${studio.address}/api/studies/gaze/answers.csv`)).text();
  assert.match(answers, /^participant,trial,repetition,condition,simulation,objects,rating,clicks,seconds\n1,1,1,\d+,(all good|all bad|tracked|random),(5|10|15),4,\d+,/);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("the city is driven through, culled or not, on streets of one's own", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/city?drive=off");
  await page.waitForFunction(() => Number(document.querySelector(".costs")?.dataset.frames) > 3);
  await painted(page, STAGE);
  await painted(page, ".city-map", 5);
  await page.keyboard.press("p");
  await page.waitForSelector(".costs[data-pools=false]");
  await page.uncheck("#culling");
  await page.waitForSelector(".costs[data-culling=false]");
  assert.match(page.url(), /culling=off/);
  const extract = join(import.meta.dirname, "../../crates/city/tests/data/luxembourg-part.osm");
  await page.setInputFiles("input[type=file]", extract);
  await page.waitForSelector("[data-network=luxembourg-part][aria-pressed=true]");
  await page.waitForFunction(() => document.querySelector(".credit")?.textContent?.includes("OpenStreetMap contributors"));
  await page.check("#culling");
  await page.waitForSelector(".costs[data-culling=true]");
  await page.keyboard.press("t");
  await changes(page, await pixels(page, STAGE), 60);
  await page.screenshot({ path: join(shots, "city.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a banner walks along its graph, in the wind that is wanted", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/field?flags=2&pointer=off");
  // The banner is simulated and its graph made first.
  await page.waitForSelector(".facts-list[data-walks=true]");
  const picture = await pixels(page, STAGE);
  await changes(page, picture, 5);
  await page.waitForSelector(".facts-list[data-level=calm]");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("wind gale");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".facts-list[data-wanted=gale]");
  await page.waitForSelector(".facts-list[data-level=gale]");
  await changes(page, await painted(page, ".motion-map", 5), 2, ".motion-map");
  await page.screenshot({ path: join(shots, "field.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a meadow moves in the wind, and tells of the clump under the pointer", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/field/meadow?clumps=120&pointer=off");
  // The clumps grow first, and are planted.
  await page.waitForSelector(".facts-list[data-grown='120']");
  await page.waitForFunction(() => Number(document.querySelector(".facts-list")?.dataset.shown) > 10);
  const picture = await painted(page, STAGE);
  await changes(page, picture, 5);
  // With the keyboard alone, what is in the middle is told of.
  await page.focus(STAGE);
  await until("a clump is in the middle", async () => {
    await page.keyboard.press("ArrowLeft");
    return (await page.locator(".clump[data-number]").count()) > 0;
  }, 300);
  assert.match(await page.textContent(".clump"), /(grass|iris), kind \d of 3, \d+ parts/);
  const green = await pixels(page, STAGE);
  await page.keyboard.press("v");
  await changes(page, green, 20);
  await page.screenshot({ path: join(shots, "meadow.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("an experiment of the lab is run, stopped, and read beside the paper", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/lab");
  await page.waitForSelector(".paper .count[data-done='0']");
  assert.ok((await page.locator(".contents .row").count()) > 20);
  await page.click(".contents >> text=rigid-box");
  await page.waitForSelector(".found .empty");
  await page.click("text=Run in full");
  await page.waitForFunction(() => document.querySelector(".log")?.textContent.includes(" s  "));
  await page.click("text=■ Stop");
  await page.waitForSelector(".work .count[data-state=stopped]");
  await page.waitForSelector(".found[data-rows]");
  assert.match(await page.textContent(".notes"), /interrupted/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("lab: lod-lev");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".found .empty");
  await page.click("text=▶ Run quickly");
  await page.waitForSelector(".work .count[data-state=finished]");
  await page.waitForFunction(() => [...document.querySelectorAll(".figure img")].some((image) => image.naturalWidth > 100));
  assert.ok((await page.locator(".lab-table tbody tr").count()) > 1);
  await page.screenshot({ path: join(shots, "lab.png") });
  const answer = await page.request.get(`${studio.address}/api/lab/report.html`);
  assert.match(await answer.text(), /lod-levels/);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("the palette, the panels and the theme work with a keyboard alone", async () => {
  const { page, context, troubles } = await openPage(browser, studio.address, "#/play/cradle");
  await shown(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("play dom");
  await page.screenshot({ path: join(shots, "palette.png") });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("light or dark");
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.keyboard.press("Enter");
  assert.notEqual(await theme(), before);
  await page.keyboard.press("Control+b");
  assert.equal(await page.isVisible(".panel.left"), false);
  await page.reload();
  await shown(page);
  assert.equal(await page.isVisible(".panel.left"), false, "the layout was forgotten");
  assert.notEqual(await theme(), before, "the theme was forgotten");
  await page.focus(".handle.right");
  const width = () => page.evaluate(() => document.querySelector(".panel.right").clientWidth);
  const narrow = await width();
  await page.keyboard.press("ArrowLeft");
  assert.ok((await width()) > narrow);
  // From panel to panel, and to another page.
  const within = (selector) => page.evaluate((name) => document.querySelector(name).contains(document.activeElement), selector);
  await page.focus(STAGE);
  await page.keyboard.press("F6");
  assert.ok(await within(".panel.right"), "F6 does not go on");
  await page.keyboard.press("Shift+F6");
  assert.ok(await within(".stage"), "F6 does not go back");
  await page.focus(".pages a:has-text('Lab')");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".paper");
  assert.equal(await page.getAttribute(".pages a:has-text('Lab')", "aria-current"), "page");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("galleries and experiments are found again after a restart", async () => {
  await studio.stop();
  studio = { ...(await startStudio(studio.workspace)) };
  const { page, context, troubles } = await openPage(browser, studio.address);
  // The oldest comes last: the one that was directed to six and six.
  await page.locator(".run:has-text('table')").last().click();
  await page.waitForSelector(".tile canvas[data-moving]");
  await page.waitForFunction(() => Number(document.querySelector(".run-view .count[data-state=finished]")?.dataset.different) >= 8);
  await page.goto(`${studio.address}/#/lab/rigid-box`);
  await page.waitForSelector(".work .count[data-state=stopped]");
  await page.waitForSelector(".found[data-rows]");
  assert.deepEqual(troubles, []);
  await context.close();
});
