// How a run goes: which method and why, how far it is, and where its chains are.

import { button, fill, grouped, h } from "./dom";
import { lines } from "./plots";
import { problemCard } from "./problems";
import type { RunReport } from "./types";

const WORDS: Record<RunReport["state"], string> = {
  waiting: "waits for its turn",
  running: "searching",
  stopped: "stopped",
  finished: "finished",
  failed: "failed",
};

/** How many were found, in one number: of how many, as long as some are missing. */
export function found(run: RunReport): string {
  const { samples } = run.order;
  return run.different < samples ? `${grouped(run.different)} of ${grouped(samples)} found` : `${grouped(run.different)} found`;
}

export class RunView {
  readonly element = h("section", { class: "run-view", "aria-label": "Run" });
  onStop: () => void = () => {};
  onResume: (samples: number) => void = () => {};

  // The button stays while reports come and go, so that no press of it is lost.
  private readonly progress = h("div", { class: "progress" });
  private readonly actions = h("div", { class: "actions" });
  private readonly traces = h("div", { class: "traces" });
  private offers = "";
  private since: { run: string; at: number; done: number } | null = null;

  constructor() {
    this.element.append(this.progress, this.actions, this.traces);
  }

  show(run: RunReport): void {
    const isBusy = run.state === "running" || run.state === "waiting";
    const isLikely = run.order.pick === "likely";
    const bar = h("progress", { max: 1, value: run.done, "aria-label": isLikely ? "Way to a fair draw" : "Different animations" });
    this.offer(run, isBusy);
    fill(
      this.progress,
      h("h3", {}, run.id, h("span", { class: `state ${run.state}` }, WORDS[run.state])),
      run.problem ? problemCard(run.problem) : null,
      bar,
      h(
        "p",
        { class: "count", "data-different": run.different, "data-simulations": run.simulations, "data-state": run.state, title: run.different_means },
        h("strong", {}, found(run)),
        isBusy ? this.left(run) : "",
      ),
      h("p", { class: "empty", title: "What it took so far" }, `${grouped(run.simulations)} simulations` + (isBusy && run.rate > 0 ? `, ${grouped(run.rate)} in a second` : "")),
      h("p", { class: "why" }, run.method ?? "drawing first, to learn how likely success is"),
      run.nearest === null || run.nearest[1] < 2 || run.different > 0 ? null : h("p", { class: "nearest", title: "What came closest so far" }, h("progress", { max: run.nearest[1], value: run.nearest[0], "aria-label": "Nearest miss" }), `nearest miss: ${run.nearest[0]} of ${run.nearest[1]} wants met`),
      run.settling === null ? null : h("p", { class: "settling", title: "Whether what was found is a fair draw from all that could happen" }, run.settling),
    );
    fill(this.traces, ...this.chains(run));
  }

  /** About how long it takes until all are found, from how it went while somebody looked. */
  private left(run: RunReport): string {
    const now = performance.now() / 1000;
    if (this.since?.run !== run.id || run.done < this.since.done) this.since = { run: run.id, at: now, done: run.done };
    const [passed, done] = [now - this.since.at, run.done - this.since.done];
    if (passed < 2 || done < 0.01) return "";
    const seconds = (passed * (1 - run.done)) / done;
    const words = seconds < 90 ? `${Math.max(Math.round(seconds / 5) * 5, 5)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
    return ` · about ${words} left`;
  }

  private offer(run: RunReport, isBusy: boolean): void {
    const samples = run.order.samples;
    const offers = isBusy ? "stop" : run.state !== "finished" ? `resume ${samples}` : `more ${samples}`;
    if (offers === this.offers) return;
    this.offers = offers;
    const action = isBusy
      ? button("■ Stop", () => this.onStop(), { tip: "What was found is kept" })
      : run.state !== "finished"
        ? button("▶ Resume", () => this.onResume(samples))
        : button("Find more", () => this.onResume(samples * 2), { tip: "Goes on from where it is" });
    fill(this.actions, action);
  }

  private chains(run: RunReport): HTMLElement[] {
    if (run.trace.length < 2) return [];
    const chains = new Map<number, typeof run.trace>();
    for (const point of run.trace) chains.set(point.chain, [...(chains.get(point.chain) ?? []), point]);
    const series = [...chains.values()];
    const density = series.map((points) => points.map((point): [number, number] => [point.iteration, point.log_density]));
    const met = series.map((points) => points.map((point): [number, number] => [point.iteration, point.wants_met]));
    const plot = (title: string, picture: SVGElement) => {
      const figure = h("figure", {}, h("figcaption", {}, title));
      figure.prepend(picture);
      return figure;
    };
    const moves = run.moves.map(([name, share]) => h("tr", {}, h("td", {}, name), h("td", {}, `${(share * 100).toFixed(0)} %`)));
    return [
      plot("log p", lines(density)),
      ...(run.wants.length > 1 && run.moves.length > 0 ? [plot(`wants met, of ${run.wants.length}`, lines(met, 280, 44))] : []),
      ...(moves.length > 0 ? [h("table", {}, h("caption", {}, "moves accepted"), h("tbody", {}, ...moves))] : []),
    ];
  }
}
