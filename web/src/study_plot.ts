// The analysis of an experiment, drawn: mean ratings by level, with standard errors.

import { h, svg } from "./dom";
import type { StudyAnalysis, StudyEffect, StudyReport } from "./types";

const [WIDTH, HEIGHT] = [300, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 12, 14, 30];

/** A chance as one reads it. */
export function chance(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(p < 0.01 ? 4 : 3)}`;
}

/** The test of an effect in a line. */
export function tested(effect: StudyEffect, complete: number): string {
  if (effect.f === null || effect.degrees === null || effect.p === null) {
    return complete < 2 ? "too few people for an analysis of variance" : "everybody agrees entirely";
  }
  return `F(${effect.degrees.join(", ")}) = ${Number(effect.f.toPrecision(3))}, ${chance(effect.p)}`;
}

function drawing(effect: StudyEffect, study: StudyReport): SVGElement {
  const { means } = effect;
  const across = (at: number) => LEFT + ((at + 0.5) / means.length) * (WIDTH - LEFT - RIGHT);
  // Clicks are counted from none, ratings given from 1.
  const isCount = effect.name.startsWith("clicks");
  const least = isCount ? 0 : 1;
  const most = isCount ? Math.max(1, Math.ceil(Math.max(...means.map(([, mean, error]) => mean + error)))) : study.highest_rating;
  const up = (value: number) => HEIGHT - BOTTOM - ((value - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const words = means.map(([level, mean, error]) => `${level}: ${mean.toFixed(2)} ± ${error.toFixed(2)}`).join("; ");
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "effect", role: "img", "aria-label": `Mean ${isCount ? "clicks" : "ratings"}. ${words}` });
  const text = (x: number, y: number, anchor: string, content: string) => {
    const made = svg("text", { x, y, "text-anchor": anchor });
    made.textContent = content;
    return made;
  };
  const step = Math.ceil((most - least) / 6);
  for (let value = least; value <= most; value += step) {
    picture.append(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(value), y2: up(value), class: "rule" }), text(LEFT - 8, up(value) + 4, "end", String(value)));
  }
  picture.append(svg("polyline", { points: means.map(([, mean], at) => `${across(at).toFixed(1)},${up(mean).toFixed(1)}`).join(" "), class: "means" }));
  means.forEach(([level, mean, error], at) => {
    const x = across(at);
    const [low, high] = [up(Math.max(mean - error, least)), up(Math.min(mean + error, most))];
    picture.append(
      svg("line", { x1: x, x2: x, y1: low, y2: high, class: "error" }),
      svg("line", { x1: x - 5, x2: x + 5, y1: low, y2: low, class: "error" }),
      svg("line", { x1: x - 5, x2: x + 5, y1: high, y2: high, class: "error" }),
      svg("circle", { cx: x, cy: up(mean), r: 4, class: "mean" }),
      text(x, HEIGHT - 10, "middle", level),
    );
  });
  return picture;
}

/** Everything that the answers say. */
export function analysisView(analysis: StudyAnalysis, study: StudyReport): HTMLElement[] {
  const figure = (effect: StudyEffect) => {
    const made = h("figure", { class: "effect-of", "data-p": effect.p ?? "" }, h("figcaption", {}, h("strong", {}, effect.name), h("span", {}, tested(effect, analysis.complete))));
    if (effect.means.length > 0) made.prepend(drawing(effect, study));
    return made;
  };
  const rows = analysis.interactions.map((effect) => h("tr", {}, h("td", {}, effect.name), h("td", {}, tested(effect, analysis.complete))));
  const left = analysis.participants - analysis.complete;
  return [
    h(
      "p",
      { class: "count", "data-complete": analysis.complete },
      `${analysis.answers} answers of ${analysis.participants} ${analysis.participants === 1 ? "person" : "people"}${left > 0 ? `; ${left} did not rate every condition and ${left === 1 ? "is" : "are"} left out` : ""}. Dots are mean ratings, bars a standard error either way; ${study.low_is_good ? "low" : "high"} is good.`,
    ),
    h("div", { class: "effects" }, ...analysis.factors.map(figure)),
    rows.length > 0 ? h("table", { class: "interactions" }, h("caption", {}, "What two do together, beyond each"), h("tbody", {}, ...rows)) : h("span", {}),
  ];
}
