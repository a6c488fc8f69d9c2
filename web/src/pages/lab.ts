// Lab: the papers' experiments, run and read in the browser.

import { api, labPictureAddress, labReportAddress, labResultsAddress, problemOf, type LabExperiment, type LabJob, type LabReport, type LabResults } from "../api";
import { button, fill, grouped, h } from "../dom";
import { keysOf, labTable, mainKeys } from "../lab_table";
import type { Command } from "../palette";
import { problemCard } from "../problems";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";

/** How often a run is asked how far it is, ms. */
const PAUSE = 500;
/** What the parts of names stand for, in the order of the book. */
const FAMILIES: [string, string][] = [
  ["rigid", "Rigid bodies"],
  ["direct", "Directing"],
  ["cull", "Culled systems"],
  ["city", "Cities"],
  ["lod", "Collisions"],
  ["ensemble", "Ensembles"],
  ["studio", "The studio"],
];
const WORDS: Record<LabJob["state"], string> = { waiting: "waits for its turn", running: "running", stopped: "stopped", finished: "finished", failed: "failed" };

export function openLab(shell: Shell, route: Route): Page {
  return new LabPage(shell, route.name);
}

class LabPage implements Page {
  private readonly shell: Shell;
  private readonly list = h("nav", { class: "contents", "aria-label": "Experiments" });
  private readonly paper = h("article", { class: "paper" });
  private readonly work = h("section", { class: "work", "aria-label": "Run", role: "status" });
  private readonly actions = h("div", { class: "actions" });
  private readonly found = h("section", { class: "found", "aria-label": "Results" });
  private readonly log = h("pre", { class: "log", tabindex: 0, "aria-label": "What it said" });
  private readonly seed = h("input", { type: "number", min: 0, max: 4294967295, step: 1, value: 1, "aria-label": "Seed" });
  private lab: LabReport | null = null;
  private chosen: string;
  private results: LabResults | null = null;
  private allColumns = false;
  private offers = "";
  private timer = 0;
  private isOpen = true;

  constructor(shell: Shell, name: string) {
    this.shell = shell;
    this.chosen = name;
    shell.arrange("paper");
    fill(shell.home, this.list, this.paper);
    this.crumbs();
    void this.refresh();
  }

  private crumbs(): void {
    this.shell.setCrumbs(...(this.chosen === "" ? [{ label: "Lab" }] : [{ label: "Lab", href: "#/lab" }, { label: this.chosen }]));
  }

  private get experiment(): LabExperiment | undefined {
    return this.lab?.experiments.find((one) => one.name === this.chosen);
  }

  /** Asks what there is, and shows it. */
  private async refresh(): Promise<void> {
    try {
      this.lab = await api.lab();
      const { experiment } = this;
      this.results = experiment?.last ? await api.labResults(experiment.name) : null;
    } catch (thrown) {
      if (this.isOpen) fill(this.paper, problemCard(problemOf(thrown)), button("Try again", () => void this.refresh()));
      return;
    }
    if (!this.isOpen) return;
    this.showList();
    this.showPaper();
    if (this.experiment?.job) void this.watch();
  }

  private showList(): void {
    const all = this.lab?.experiments ?? [];
    const row = (one: LabExperiment) => {
      const state = one.job?.state === "running" || one.job?.state === "waiting" ? "running" : one.last ? (one.last.quick ? "quick" : "full") : "none";
      const tip = { running: "is being run", quick: "has quick results", full: "has full results", none: "was not run here yet" }[state];
      const current = one.name === this.chosen ? "page" : undefined;
      return h("a", { href: `#/lab/${one.name}`, class: "row", title: tip, "aria-current": current, "data-state": state }, h("span", { class: "dot" }), one.name);
    };
    const family = ([prefix, title]: [string, string]) => {
      const members = all.filter((one) => one.name.startsWith(`${prefix}-`));
      return members.length > 0 ? [h("h3", {}, title), ...members.map(row)] : [];
    };
    const others = all.filter((one) => !FAMILIES.some(([prefix]) => one.name.startsWith(`${prefix}-`)));
    const overview = h("a", { href: "#/lab", class: "row", "aria-current": this.chosen === "" ? "page" : undefined }, "Overview");
    fill(this.list, overview, ...FAMILIES.flatMap(family), ...others.map(row));
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  private showPaper(): void {
    const { lab, experiment } = this;
    if (!lab) return;
    if (this.chosen === "") return this.showOverview(lab);
    if (!experiment) return fill(this.paper, h("h1", {}, this.chosen), h("p", { class: "lead" }, "There is no experiment of this name. All of them are on the left."));
    this.offers = "";
    fill(
      this.paper,
      h("h1", {}, experiment.name),
      h("p", { class: "lead" }, sentence(experiment.summary)),
      h("p", { class: "source" }, h("span", { class: "paper-mark" }, experiment.reproduces)),
      lab.problem ? problemCard(lab.problem) : h("div", { class: "runner" }, this.actions, h("label", { class: "seed" }, "seed", this.seed)),
      this.work,
      this.found,
    );
    this.showJob(experiment.job);
    this.showFound(experiment);
  }

  private showOverview(lab: LabReport): void {
    const done = lab.experiments.filter((one) => one.last);
    const full = done.filter((one) => one.last?.quick === false).length;
    const running = lab.experiments.find((one) => one.job?.state === "running");
    const rows = lab.experiments.map((one) =>
      h(
        "a",
        { class: "run", href: `#/lab/${one.name}` },
        h("strong", {}, one.name, h("small", {}, sentence(one.summary))),
        h("span", { class: "paper-mark" }, one.reproduces),
        h("span", { class: `state ${one.job?.state === "running" ? "running" : one.last ? "finished" : ""}` }, one.job?.state === "running" ? "running" : one.last ? (one.last.quick ? "quick" : "full") : "not run"),
      ),
    );
    fill(
      this.paper,
      h("h1", {}, "The papers' experiments"),
      h("p", { class: "lead" }, "Every number in the book is measured here, with the figures of the papers ", h("span", { class: "paper-mark" }, "marked like this"), " beside ours. A figure that is missed is a result, and is shown as one."),
      lab.problem ? problemCard(lab.problem) : null,
      h(
        "p",
        { class: "count", "data-done": done.length },
        done.length === 0
          ? lab.problem
            ? "There are no results to be read either."
            : "Nothing was run here yet. Choose an experiment and press Run quickly: it takes less than a minute."
          : `${grouped(done.length)} of ${grouped(lab.experiments.length)} have results, ${grouped(full)} of them full ones.${running ? ` ${running.name} is being run.` : ""}`,
      ),
      done.length > 0 ? h("div", { class: "actions" }, h("a", { class: "button", href: labReportAddress, target: "_blank", rel: "noopener" }, "All results on one page")) : null,
      rows.length > 0 ? h("div", { class: "runs" }, ...rows) : null,
    );
  }

  /** What can be done; the buttons stay while reports come and go. */
  private offer(job: LabJob | null): void {
    const isBusy = job?.state === "running" || job?.state === "waiting";
    const offers = isBusy ? "stop" : "run";
    if (offers === this.offers) return;
    this.offers = offers;
    const run = (quick: boolean) => void this.order(quick);
    fill(
      this.actions,
      ...(isBusy
        ? [button("■ Stop", () => void this.stop(), { tip: "Rows that were measured are kept" })]
        : [
            button("▶ Run quickly", () => run(true), { class: "primary", tip: "Fewer or smaller rows, in less than a minute" }),
            button("Run in full", () => run(false), { tip: "As in the paper: minutes, or much longer" }),
          ]),
    );
  }

  private showJob(job: LabJob | null): void {
    this.offer(job);
    if (!job) return fill(this.work);
    const isBusy = job.state === "running" || job.state === "waiting";
    const bar = h("progress", { max: 1, "aria-label": "Progress" });
    if (job.share !== null) bar.value = job.share;
    const left = isBusy && job.share && job.seconds > 3 ? ` · about ${span((job.seconds * (1 - job.share)) / job.share)} left` : "";
    const head = h("p", { class: "count", "data-state": job.state }, h("span", { class: `state ${job.state}` }, WORDS[job.state]), `${job.order.quick ? "quick" : "full"}, seed ${job.order.seed} · ${span(job.seconds)}${left}${isBusy && job.doing ? ` · ${job.doing}` : ""}`);
    const wasAtEnd = this.log.scrollTop + this.log.clientHeight >= this.log.scrollHeight - 4;
    this.log.textContent = job.log.join("\n");
    const isUnfolded = this.work.querySelector("details")?.open ?? isBusy;
    const details = h("details", { open: isUnfolded }, h("summary", {}, "What it says"), this.log);
    fill(this.work, head, job.state === "running" ? bar : null, job.problem ? problemCard(job.problem) : null, job.log.length > 0 ? details : null);
    if (wasAtEnd) this.log.scrollTop = this.log.scrollHeight;
  }

  private showFound(experiment: LabExperiment): void {
    const { results } = this;
    if (!results || !experiment.last) {
      const advice = this.lab?.problem ? "" : " Run it quickly to see its table and its pictures in less than a minute.";
      return fill(this.found, h("p", { class: "empty" }, `There are no results of this experiment yet.${advice}`));
    }
    const { last } = experiment;
    const keys = this.allColumns ? keysOf(results.rows) : mainKeys(results.rows, experiment.columns);
    const more = keysOf(results.rows).length - mainKeys(results.rows, experiment.columns).length;
    const columns = h("button", { type: "button", class: "quiet", "aria-pressed": String(this.allColumns) }, this.allColumns ? "Fewer columns" : `${more} more columns`);
    columns.addEventListener("click", () => {
      this.allColumns = !this.allColumns;
      this.showFound(experiment);
      this.found.querySelector<HTMLElement>(".quiet")?.focus();
    });
    const picture = (name: string) => {
      const address = `${labPictureAddress(experiment.name, name)}?${last.written}`;
      return h("a", { href: address, target: "_blank", rel: "noopener", class: "figure" }, h("img", { src: address, alt: name.replaceAll("-", " ") }));
    };
    fill(
      this.found,
      h("h2", {}, "What was found", h("small", {}, `${last.quick ? "quick: fewer or smaller rows" : "full"} · seed ${last.seed} · ${when(last.written)}`)),
      h("div", { class: "figures" }, ...last.pictures.map(picture)),
      labTable(results.rows, keys),
      h("div", { class: "actions" }, more > 0 ? columns : null, h("a", { class: "button", href: labResultsAddress(experiment.name), download: `${experiment.name}.json` }, "Download as JSON")),
      h("ul", { class: "notes" }, ...results.notes.map((note) => h("li", {}, note))),
    );
    this.found.dataset.rows = String(results.rows.length);
  }

  private async order(quick: boolean): Promise<void> {
    const { experiment } = this;
    if (!experiment) return;
    try {
      const seed = Math.min(Math.max(Math.round(Number(this.seed.value)) || 0, 0), 4294967295);
      experiment.job = await api.labRun(experiment.name, { quick, seed });
      this.showJob(experiment.job);
      this.showList();
      void this.watch();
    } catch (thrown) {
      fill(this.work, problemCard(problemOf(thrown)));
    }
  }

  private async stop(): Promise<void> {
    try {
      if (this.experiment) this.showJob(await api.labStop(this.experiment.name));
    } catch (thrown) {
      fill(this.work, problemCard(problemOf(thrown)));
    }
  }

  /** Follows a run to its end, and then shows what it found. */
  private async watch(): Promise<void> {
    window.clearTimeout(this.timer);
    const { experiment } = this;
    if (!experiment || !this.isOpen) return;
    try {
      const job = await api.labJob(experiment.name);
      if (!this.isOpen) return;
      const wasBusy = experiment.job?.state === "running" || experiment.job?.state === "waiting";
      const isBusy = job.state === "running" || job.state === "waiting";
      experiment.job = job;
      this.showJob(job);
      if (isBusy) this.timer = window.setTimeout(() => void this.watch(), PAUSE);
      else if (wasBusy) void this.refresh();
    } catch (thrown) {
      fill(this.work, problemCard(problemOf(thrown)), button("Ask again", () => void this.watch()));
    }
  }

  commands(): Command[] {
    const go = (one: LabExperiment): Command => ({ name: `Lab: ${one.name}`, run: () => (location.hash = `#/lab/${one.name}`) });
    const own = this.experiment && !this.lab?.problem ? [{ name: `Run ${this.chosen} quickly`, run: () => void this.order(true) }, { name: `Run ${this.chosen} in full`, run: () => void this.order(false) }] : [];
    return [...own, ...(this.lab?.experiments ?? []).map(go)];
  }

  leave(): void {
    this.isOpen = false;
    window.clearTimeout(this.timer);
    this.shell.home.replaceChildren();
  }
}

function sentence(text: string): string {
  return text === "" ? "" : text[0]?.toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

/** A length of time for people. */
function span(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

function when(seconds: number): string {
  return new Date(1000 * seconds).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
