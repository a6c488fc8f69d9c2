// The experiment with the gaze: short simulations, a click whenever a collision
// looks bad, a rating after each, and the answers as a table for
// `proscenium lod study gaze --analyse`.

import { api, problemOf, type GazeTrial } from "./api";
import { button, fill, h } from "./dom";
import { problemCard } from "./problems";

/** How long a simulation is shown, s. */
const SECONDS = 10;
const COLUMNS = "participant,trial,repetition,condition,simulation,objects,rating,clicks";

export class GazeStudy {
  readonly element = h("div", { class: "gaze-study" });
  /** Shows a condition, or ends with none. */
  onTrial: (condition: number | null) => void = () => {};
  private readonly view: HTMLElement;
  private readonly say: (...children: (Node | string)[]) => void;
  private readonly participant = h("input", { type: "number", min: 1, max: 1000, step: 1, value: 1, "aria-label": "Participant" });
  private readonly seconds: number;
  private trials: GazeTrial[] = [];
  private lines: string[] = [];
  private clicks = 0;
  private timer = 0;

  /** The view in which one clicks, and how the page says something over it. */
  constructor(view: HTMLElement, say: (...children: (Node | string)[]) => void, seconds = SECONDS) {
    this.view = view;
    this.say = say;
    this.seconds = seconds;
    this.offer();
  }

  get isRunning(): boolean {
    return this.trials.length > 0;
  }

  private offer(): void {
    const saved = this.lines.length > 0;
    fill(
      this.element,
      h("h3", {}, "Experiment"),
      h("p", { class: "summary" }, "Do coarse collisions matter where nobody looks? 36 simulations of ten seconds; the pointer stands for the gaze."),
      h("label", { class: "field" }, h("span", {}, "participant"), this.participant),
      h("div", { class: "actions" }, button("Begin", () => void this.begin()), saved ? button("Save answers", () => this.save()) : null),
      saved ? h("p", { class: "empty" }, `${this.lines.length} answers. Then: proscenium lod study gaze -o gaze --analyse gaze-answers.csv`) : null,
    );
  }

  private async begin(): Promise<void> {
    try {
      this.trials = await api.gazeTrials(Number(this.participant.value));
    } catch (thrown) {
      fill(this.element, problemCard(problemOf(thrown)), button("Back", () => this.offer()));
      return;
    }
    this.say(
      h("strong", {}, "Follow the collisions with the pointer."),
      h("p", {}, "Click whenever one looks wrong: bodies that part before they touch, or turn as they should not. After each simulation, say how good it was."),
      button("Begin", () => this.next()),
    );
    fill(this.element, h("h3", {}, "Experiment"), h("div", { class: "actions" }, button("End it", () => this.end())));
  }

  private next(): void {
    const trial = this.trials[0];
    if (!trial) return this.end();
    this.say();
    this.clicks = 0;
    this.onTrial(trial.condition);
    this.view.addEventListener("pointerdown", this.click);
    this.element.dataset.trial = String(trial.number);
    this.timer = window.setTimeout(() => this.ask(trial), 1000 * this.seconds);
  }

  private readonly click = (): void => {
    this.clicks += 1;
  };

  private ask(trial: GazeTrial): void {
    this.view.removeEventListener("pointerdown", this.click);
    const rate = (rating: number) =>
      button(String(rating), () => {
        const { number, repetition, condition, simulation, objects } = trial;
        this.lines.push([this.participant.value, number, repetition, condition, simulation, objects, rating, this.clicks].join(","));
        this.trials.shift();
        this.next();
      });
    this.say(
      h("strong", {}, "How good was this simulation?"),
      h("p", {}, "1 is the worst that you have seen, 5 the best."),
      h("div", { class: "actions ratings" }, ...[1, 2, 3, 4, 5].map(rate)),
      h("p", { class: "empty" }, `${trial.number} of ${trial.number + this.trials.length - 1}`),
    );
  }

  private end(): void {
    this.stop();
    this.onTrial(null);
    this.offer();
    if (this.lines.length > 0) this.save();
  }

  private save(): void {
    const text = [COLUMNS, ...this.lines, ""].join("\n");
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: "gaze-answers.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** Nothing more is asked. */
  stop(): void {
    window.clearTimeout(this.timer);
    this.view.removeEventListener("pointerdown", this.click);
    this.trials = [];
    delete this.element.dataset.trial;
    this.say();
  }
}
