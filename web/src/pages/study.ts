// Study: experiments with people about what they notice, and what they answered.

import { api, problemOf, studyAnswersAddress, type StudyReport } from "../api";
import { button, fill, h } from "../dom";
import type { Command } from "../palette";
import { problemCard } from "../problems";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";
import { analysisView } from "../study_plot";
import { StudySession } from "../study_session";
import { STUDY_WORDS } from "../study_words";

export function openStudy(shell: Shell, route: Route): Page {
  return new StudyPage(shell, route);
}

class StudyPage implements Page {
  private readonly shell: Shell;
  private readonly list = h("nav", { class: "contents", "aria-label": "Experiments" });
  private readonly paper = h("article", { class: "paper" });
  private readonly analysis = h("section", { class: "found", "aria-label": "Answers" });
  private readonly chosen: string;
  /** Shorter simulations, for tests. */
  private readonly seconds: number | undefined;
  private studies: StudyReport[] = [];
  private session: StudySession | null = null;
  private isOpen = true;

  constructor(shell: Shell, route: Route) {
    this.shell = shell;
    this.chosen = route.name || "causality";
    this.seconds = Number(route.query.get("seconds")) || undefined;
    void this.refresh();
  }

  private get study(): StudyReport | undefined {
    return this.studies.find((one) => one.name === this.chosen);
  }

  private async refresh(): Promise<void> {
    this.shell.arrange("paper");
    fill(this.shell.home, this.list, this.paper);
    this.shell.setCrumbs({ label: "Study" }, { label: STUDY_WORDS[this.chosen]?.title ?? this.chosen });
    try {
      this.studies = await api.studies();
    } catch (thrown) {
      if (this.isOpen) fill(this.paper, problemCard(problemOf(thrown)), button("Try again", () => void this.refresh()));
      return;
    }
    if (!this.isOpen) return;
    this.showList();
    this.showPaper();
    await this.analyse();
  }

  private showList(): void {
    const row = (one: StudyReport) => {
      const current = one.name === this.chosen ? "page" : undefined;
      const state = one.people > 0 ? "full" : "none";
      return h("a", { href: `#/study/${one.name}`, class: "row", "aria-current": current, "data-state": state }, h("span", { class: "dot" }), STUDY_WORDS[one.name]?.title ?? one.name);
    };
    fill(this.list, h("h3", {}, "What do people notice?"), ...this.studies.map(row));
  }

  private showPaper(): void {
    const { study } = this;
    const words = STUDY_WORDS[this.chosen];
    if (!study || !words) return fill(this.paper, h("h1", {}, this.chosen), h("p", { class: "lead" }, "There is no experiment of this name. All of them are on the left."));
    const factors = study.factors.map((factor) => h("tr", {}, h("th", { scope: "row" }, factor.name), h("td", {}, factor.levels.join(" · "))));
    const resume = study.unfinished.map((person) => button(`Person ${person} goes on`, () => this.take(person), { class: "quiet", tip: "What was answered before is kept" }));
    fill(
      this.paper,
      h("h1", {}, words.question),
      h("p", { class: "lead" }, words.task),
      h("p", { class: "source" }, h("span", { class: "paper-mark" }, words.source)),
      h("div", { class: "actions" }, button("▶ Take part", () => this.take(null), { class: "primary" }), ...resume.slice(0, 6)),
      h("p", { class: "summary" }, `Everybody rates ${study.conditions} conditions three times, in an order that is random and balanced over people: each condition follows each other one equally often.`),
      h("table", { class: "factors" }, h("tbody", {}, ...factors)),
      this.analysis,
    );
  }

  private async analyse(): Promise<void> {
    const { study } = this;
    if (!study) return;
    const head = h("h2", {}, "What people answered");
    if (study.answers === 0) return fill(this.analysis, head, h("p", { class: "empty" }, "Nobody has taken part yet. Answers are analysed here as they come; two people who rate everything are enough for a first analysis of variance, the paper had twenty."));
    try {
      const analysis = await api.studyAnalysis(study.name);
      if (!this.isOpen) return;
      fill(this.analysis, head, ...analysisView(analysis, study), h("div", { class: "actions" }, h("a", { class: "button", href: studyAnswersAddress(study.name), download: `${study.name}.csv` }, "Download the answers")));
    } catch (thrown) {
      fill(this.analysis, head, problemCard(problemOf(thrown)));
    }
  }

  private take(person: number | null): void {
    const { study } = this;
    if (!study || this.session) return;
    this.session = new StudySession(this.shell, study, this.seconds);
    this.session.onEnd = () => {
      this.session = null;
      if (this.isOpen) void this.refresh();
    };
    void this.session.begin(person);
  }

  commands(): Command[] {
    if (this.session) return [{ name: "Stop taking part", run: () => this.session?.end() }];
    const go = (one: StudyReport): Command => ({ name: `Study: ${STUDY_WORDS[one.name]?.title ?? one.name}`, run: () => (location.hash = `#/study/${one.name}`) });
    return [{ name: "Take part", run: () => this.take(null) }, ...this.studies.map(go)];
  }

  hold(): void {
    // What people rate goes on at its own pace.
  }

  leave(): void {
    this.isOpen = false;
    this.session?.end();
    this.shell.home.replaceChildren();
  }
}
