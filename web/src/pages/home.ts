// Home: what the engine can do, as moving pictures that lead to the pages.

import { api, cityAddress, clipAddress, collisionsAddress, fieldAddress, meadowAddress, problemOf, ridesAddress, settled, type RunReport, type SceneChoice } from "../api";
import { fill, grouped, h } from "../dom";
import type { Angle } from "../look";
import { previews, type PreviewLook } from "../previews";
import { problemCard } from "../problems";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";

interface Picture {
  title: string;
  words: string;
  to: string;
  scene: SceneChoice;
  seed: number;
  angle?: Angle;
  /** As small pictures have it. */
  least?: number;
}

/** The first of them are simulated in an instant, so that something moves soon. */
const DIRECT: Picture[] = [
  {
    title: "Dice that land on six",
    words: "Pick the faces and drag the spot: every throw is physics, and ends as you say.",
    to: "#/direct/table?n=2",
    scene: { builtin: "table", parameters: { n: 2 } },
    // A throw that ends so by itself.
    seed: 7,
  },
  {
    title: "Marbles that spell a word",
    words: "Type a word, press Enter, and look at many ways in which marbles fall into it.",
    to: "#/direct/spell?text=HI",
    scene: { builtin: "spell", text: "HI" },
    seed: 1,
    angle: "above",
  },
];

/** Worlds that go on while somebody looks at them. */
const LIVE: { title: string; words: string; to: string; page: string; picture: string; look: PreviewLook }[] = [
  { title: "A fairground", words: "Walk among rides that cost nothing while nobody sees them.", to: "#/fairground", page: "Fairground", picture: ridesAddress, look: { angle: "low", share: 0.62, stands: true } },
  { title: "A city", words: "Drive through traffic that is simulated only where you look.", to: "#/city", page: "City", picture: cityAddress, look: { chases: true } },
  { title: "A meadow", words: "Thousands of clumps of grass and irises in gusts that travel; only those that you see are computed.", to: "#/field/meadow", page: "Field", picture: meadowAddress, look: { angle: "low", share: 1.1, above: 0, copies: 9, earth: ["#5b6b2c", "#47602a"] } },
  { title: "A banner", words: "Flags that play for ever in the wind that you blow, and never pass through each other.", to: "#/field", page: "Field", picture: fieldAddress, look: { angle: "low", share: 0.6, above: 0.8 } },
  { title: "A pile of knots", words: "Collisions that are never late: say what a frame may take, and look around.", to: "#/collisions", page: "Collisions", picture: collisionsAddress, look: { where: "indoors", share: 0.6 } },
];

const PLAY: Picture[] = [
  { title: "Bounce", words: "Nine shapes that nobody would mistake for balls.", to: "#/play/bounce", scene: { builtin: "bounce" }, seed: 1, least: 0.15 },
  { title: "Break", words: "Fifteen balls and a hard shot.", to: "#/play/break", scene: { builtin: "break" }, seed: 1 },
  { title: "Pins", words: "Ten pins and a heavy ball.", to: "#/play/pins", scene: { builtin: "pins" }, seed: 1 },
  { title: "Cradle", words: "Newton's, to fifteen digits.", to: "#/play/cradle", scene: { builtin: "cradle" }, seed: 1 },
  { title: "Spin", words: "A handle that turns over in flight.", to: "#/play/spin", scene: { builtin: "spin" }, seed: 1 },
];

/** What one makes oneself. */
const OWN = [
  { title: "Write a scene", words: "Write or open a scene file; mistakes are shown where they are.", to: "#/play/own", page: "Play" },
  { title: "Build a ride", words: "Hang parts on each other, let them follow equations, and take the ride with you.", to: "#/rides", page: "Rides" },
  { title: "Direct what you wrote", words: "Say what should happen in a scene of your own.", to: "#/direct/own", page: "Direct" },
];

/** What stands behind all of it. */
const MEASURED = [
  { title: "The papers' experiments", words: "Run them, and read their figures beside ours.", to: "#/lab", page: "Lab" },
  { title: "What do people notice?", words: "Take part in an experiment, or ask others to, and see what their answers say.", to: "#/study", page: "Study" },
];

export function openHome(shell: Shell): Page {
  shell.arrange("home");
  shell.setCrumbs();
  const recent = h("section", { class: "recent" });
  fill(
    shell.home,
    h("h1", {}, "Motion that ends as you want it."),
    h(
      "p",
      { class: "lead" },
      "Say what should happen, and the engine finds animations that are physics and end that way. Everything here can be changed, scrubbed, and taken to Blender or your game.",
    ),
    h("div", { class: "cards" }, ...DIRECT.map((one) => card(one, "Direct")), ...LIVE.map(liveCard), ...PLAY.map((one) => card(one, "Play"))),
    recent,
    h("h2", {}, "Yours"),
    h("div", { class: "cards" }, ...OWN.map(plainCard)),
    h("h2", {}, "Measured"),
    h("div", { class: "cards" }, ...MEASURED.map(plainCard)),
  );
  api
    .runs()
    .then((runs) => fill(recent, ...recentRuns(runs)))
    .catch((thrown: unknown) => fill(recent, problemCard(problemOf(thrown))));
  return { commands: () => [], leave: () => shell.home.replaceChildren() };
}

/** An address at which there is nothing. */
export function openUnknown(shell: Shell, { name }: Route): Page {
  shell.arrange("home");
  shell.setCrumbs({ label: "nothing here" });
  fill(
    shell.home,
    h("h1", {}, "There is nothing at this address."),
    h("p", { class: "lead" }, `“#/${name.slice(0, 80)}” is no page of the studio. `, h("a", { href: "#/" }, "The first page"), " shows what there is."),
  );
  return { commands: () => [], leave: () => shell.home.replaceChildren() };
}

function card(picture: Picture, page: string): HTMLElement {
  const address = async () => {
    const summary = await settled(() => api.order({ scene: picture.scene, seed: picture.seed }));
    if (!summary) throw new Error("nobody waits for it");
    return clipAddress(summary.id);
  };
  return h(
    "a",
    { class: "card", href: picture.to },
    previews.add(address, { angle: picture.angle, least: picture.least }),
    h("strong", {}, picture.title, leads(page)),
    h("span", {}, picture.words),
  );
}

/** The page that a card leads to, by the name that it has in the bar. */
const leads = (page: string): HTMLElement => h("em", { class: page === "Direct" ? "direct" : undefined }, page);

function liveCard({ title, words, to, page, picture, look }: (typeof LIVE)[number]): HTMLElement {
  return h(
    "a",
    { class: "card", href: to },
    previews.add(() => Promise.resolve(picture), { where: "outdoors", ...look }),
    h("strong", {}, title, leads(page)),
    h("span", {}, words),
  );
}

function plainCard({ title, words, to, page }: (typeof OWN)[number]): HTMLElement {
  return h("a", { class: "card own", href: to }, h("strong", {}, title, leads(page)), h("span", {}, words));
}

function recentRuns(runs: RunReport[]): HTMLElement[] {
  if (runs.length === 0) return [];
  const rows = runs.slice(0, 8).map((run) =>
    h(
      "a",
      { class: "run", href: `#/runs/${run.id}` },
      h("strong", {}, run.title),
      h("span", {}, `${grouped(run.different)} different · ${grouped(run.simulations)} simulations`),
      h("span", { class: `state ${run.state}` }, run.state),
    ),
  );
  return [h("h2", {}, "Recent galleries"), h("div", { class: "runs" }, ...rows)];
}
