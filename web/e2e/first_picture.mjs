// How soon something moves after the studio was started, with a browser that
// runs already. Prints one line of JSON; the lab asks for it.

import { openPage, startBrowser, startStudio } from "./browser.mjs";

const browser = await startBrowser();
const began = performance.now();
const studio = await startStudio();
const listening = performance.now() - began;
const { page } = await openPage(browser, studio.address);
await page.waitForSelector(".card canvas[data-moving]");
const picture = performance.now() - began;
await browser.close();
await studio.stop();
studio.remove();
console.log(JSON.stringify({ listening_ms: listening, picture_ms: picture }));
