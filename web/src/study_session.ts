// Somebody takes part in an experiment: consent, instructions, training, trials,
// and a word at the end. Every answer is kept before the next trial is shown.

import * as three from "three";
import { api, problemOf, studyClipAddress } from "./api";
import { load } from "./clip";
import { button, h } from "./dom";
import { LiveScene } from "./live";
import { problemCard } from "./problems";
import type { Shell } from "./shell";
import { STUDY_WORDS, type StudyWords } from "./study_words";
import type { CollisionsControl, StudyPerson, StudyReport, StudyTrial } from "./types";

/** How long a live simulation is shown, s. */
const SECONDS = 10;
/** How long nothing is shown before a trial, ms. */
const REST = 500;
/** From where all clips are seen alike. */
const [EYE, TARGET] = [new three.Vector3(0, 0.5, 5.6), new three.Vector3(0, 0, 0)];

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

export class StudySession {
  /** It is over, or was left. */
  onEnd: () => void = () => {};
  private readonly shell: Shell;
  private readonly study: StudyReport;
  private readonly words: StudyWords;
  private readonly seconds: number;
  private live: LiveScene | null = null;
  private person: StudyPerson | null = null;
  private gaze: [number, number] | null = null;
  private clicks = 0;
  private rate: ((rating: number) => void) | null = null;
  private isOpen = true;

  constructor(shell: Shell, study: StudyReport, seconds = SECONDS) {
    this.shell = shell;
    this.study = study;
    this.words = STUDY_WORDS[study.name] ?? { title: study.name, question: "", source: "", task: "", good: "", bad: "" };
    this.seconds = seconds;
    shell.arrange("trial");
    shell.clear();
    shell.stage.show([]);
    shell.stage.element.dataset.study = study.name;
    document.addEventListener("keydown", this.key);
  }

  /** Somebody new, or one who was interrupted. */
  async begin(participant: number | null): Promise<void> {
    try {
      this.person = participant === null ? await this.consent() : await api.studyPerson(this.study.name, participant);
      if (!this.person) return this.end();
      await this.instruct();
      await this.train();
      await this.trials();
      if (this.isOpen) await this.ask();
    } catch (thrown) {
      if (!this.isOpen) return;
      await this.wait((done) => [problemCard(problemOf(thrown)), h("p", {}, "What was answered before is kept."), button("Back", done, { class: "primary" })]);
    }
    this.end();
  }

  /** Says something, and waits for a choice. */
  private wait<Choice = void>(content: (done: (choice: Choice) => void) => (Node | string)[]): Promise<Choice> {
    return new Promise((resolve) => {
      const done = (choice: Choice) => {
        this.shell.say();
        resolve(choice);
      };
      this.shell.say(...content(done));
      this.shell.overlay.querySelector<HTMLElement>("button.primary, .ratings button")?.focus();
    });
  }

  private async consent(): Promise<StudyPerson | null> {
    const minutes = Math.max(1, Math.round((this.study.trials * (this.study.live ? 14 : 5)) / 60));
    const agrees = await this.wait<boolean>((done) => {
      const box = h("input", { type: "checkbox", id: "consent" });
      const go = button("I agree: begin", () => done(true), { class: "primary" });
      go.disabled = true;
      box.addEventListener("change", () => (go.disabled = !box.checked));
      return [
        h("h2", {}, `Experiment: ${this.words.title}`),
        h("p", {}, this.words.question),
        h(
          "ul",
          {},
          h("li", {}, `It takes about ${minutes} minutes: ${this.study.trials} short animations, each rated by a number.`),
          h("li", {}, "Kept are a number for you, your ratings and clicks, how long you thought, and what you say in the end. Your name is not asked."),
          h("li", {}, "It stays on the machine that runs this studio, in its workspace."),
          h("li", {}, "You may stop at any time (Escape) and go on later; what you answered until then is kept."),
          h("li", {}, "Things move and turn on the screen. Do not take part if that makes you unwell."),
        ),
        h("label", { class: "agree", for: "consent" }, box, h("span", {}, "I have read this, and take part of my own will.")),
        h("div", { class: "actions" }, go, button("Rather not", () => done(false))),
      ];
    });
    return agrees && this.isOpen ? api.studyJoin(this.study.name) : null;
  }

  private async instruct(): Promise<void> {
    await this.wait((done) => [
      h("h2", {}, "What to do"),
      h("p", {}, this.words.task),
      h("p", {}, "First you see two examples that do not count. Ratings can be clicked, or typed as a number."),
      h("div", { class: "actions" }, button("Show the examples", () => done(), { class: "primary" })),
    ]);
  }

  private async train(): Promise<void> {
    for (const example of this.study.training) {
      const said = example.good ? this.words.good : this.words.bad;
      let again = true;
      while (again && this.isOpen) {
        await this.show(example.condition, Math.min(this.seconds, 6));
        if (!this.isOpen) return;
        again = await this.wait<boolean>((done) => [
          h("h2", {}, example.good ? "This one is as it should be." : "This one is not."),
          h("p", {}, said),
          h("div", { class: "actions" }, button("Go on", () => done(false), { class: "primary" }), button("Once more", () => done(true))),
        ]);
      }
    }
    if (this.isOpen) await this.wait((done) => [h("h2", {}, "Now it counts."), h("p", {}, this.words.task), h("div", { class: "actions" }, button("Begin", () => done(), { class: "primary" }))]);
  }

  private async trials(): Promise<void> {
    while (this.isOpen && this.person && this.person.trials.length > 0) {
      const [trial, next] = this.person.trials;
      if (!trial) return;
      this.shell.stage.element.dataset.trial = String(trial.number);
      if (next && !this.study.live) void fetch(studyClipAddress(this.study.name, next.condition)).catch(() => {});
      await this.show(trial.condition, this.seconds);
      if (!this.isOpen) return;
      await this.answer(trial);
    }
  }

  private async answer(trial: StudyTrial): Promise<void> {
    const { person, study } = this;
    if (!person) return;
    const began = performance.now();
    const done = person.of - person.trials.length;
    const rating = await this.wait<number>((choose) => {
      this.rate = choose;
      const one = (value: number) => button(String(value), () => choose(value));
      const [low, high] = study.low_is_good ? ["very believable", "very unbelievable"] : ["the worst", "the best"];
      return [
        h("h2", {}, study.low_is_good ? "How believable was this?" : "How good was this?"),
        h("div", { class: "ratings" }, h("span", {}, low), ...Array.from({ length: study.highest_rating }, (_, at) => one(at + 1)), h("span", {}, high)),
        h("progress", { max: person.of, value: done, "aria-label": "Trials" }),
        h("p", { class: "empty" }, `${done + 1} of ${person.of}`),
      ];
    });
    this.rate = null;
    const seconds = (performance.now() - began) / 1000;
    this.person = await api.studyAnswer(study.name, person.participant, { number: trial.number, rating, clicks: this.clicks, seconds });
  }

  /** Shows a condition once. */
  private async show(condition: number, seconds: number): Promise<void> {
    this.clicks = 0;
    if (this.study.live) return this.showLive(condition, seconds);
    const clip = await load(studyClipAddress(this.study.name, condition));
    if (!this.isOpen) return clip.dispose();
    await pause(REST);
    const { stage } = this.shell;
    stage.show([clip], true);
    stage.setView(EYE, TARGET);
    const began = performance.now();
    await new Promise<void>((resolve) => {
      const step = () => {
        const time = (performance.now() - began) / 1000;
        stage.showTime(Math.min(time, clip.duration));
        if (time < clip.duration && this.isOpen) requestAnimationFrame(step);
        else resolve();
      };
      requestAnimationFrame(step);
    });
    stage.show([]);
  }

  private async showLive(condition: number, seconds: number): Promise<void> {
    const { stage } = this.shell;
    if (!this.live) {
      this.live = new LiveScene("collisions");
      const live = this.live;
      await new Promise<void>((resolve, reject) => {
        live.onHello = () => resolve();
        live.onEnd = (problem) => reject(new Error(problem.error));
      });
      live.onHello = () => stage.reframe();
      stage.canvas.addEventListener("pointermove", this.look);
      stage.canvas.addEventListener("pointerdown", this.click);
    }
    stage.show([this.live]);
    this.say({ colours: "plain" });
    this.say({ trial: condition });
    this.live.setPace(1);
    await pause(1000 * seconds);
    if (this.isOpen) this.live.setPace(0);
  }

  private say(control: CollisionsControl): void {
    this.live?.control(control);
  }

  private readonly look = (event: PointerEvent): void => {
    const box = this.shell.stage.canvas.getBoundingClientRect();
    const share = (value: number) => Math.round(1000 * Math.min(Math.max(value, 0), 1)) / 1000;
    const gaze: [number, number] = [share((event.clientX - box.left) / box.width), share((event.clientY - box.top) / box.height)];
    if (this.gaze && Math.hypot(gaze[0] - this.gaze[0], gaze[1] - this.gaze[1]) < 0.01) return;
    this.gaze = gaze;
    this.say({ gaze });
  };

  private readonly click = (): void => {
    this.clicks += 1;
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.end();
    const rating = Number(event.key);
    if (this.rate && rating >= 1 && rating <= this.study.highest_rating) {
      event.preventDefault();
      this.rate(rating);
    }
  };

  /** How did you decide? */
  private async ask(): Promise<void> {
    const { person } = this;
    if (!person) return;
    this.shell.stage.show([]);
    const text = h("textarea", { rows: 4, maxlength: 4000, "aria-label": "What did you look for?" });
    await this.wait((done) => [h("h2", {}, "Thank you."), h("p", {}, "What did you look for? What gave the wrong ones away?"), text, h("div", { class: "actions" }, button("Done", () => done(), { class: "primary" }))]);
    if (text.value.trim() !== "") await api.studyRemark(this.study.name, person.participant, text.value);
  }

  /** Leaves; what was answered is kept. */
  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    document.removeEventListener("keydown", this.key);
    const { stage } = this.shell;
    stage.canvas.removeEventListener("pointermove", this.look);
    stage.canvas.removeEventListener("pointerdown", this.click);
    stage.show([]);
    delete stage.element.dataset.study;
    delete stage.element.dataset.trial;
    this.live?.dispose();
    this.shell.say();
    this.onEnd();
  }
}
