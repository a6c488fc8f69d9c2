// Small drawings of numbers.

import { svg } from "./dom";

/** A density, as a hill or as bars. */
export function hill(curve: [number, number][], width = 92, height = 22): SVGElement {
  const top = Math.max(...curve.map(([, y]) => y), 1e-300);
  const low = curve[0]?.[0] ?? 0;
  const high = curve[curve.length - 1]?.[0] ?? 1;
  const x = (value: number) => (high > low ? ((value - low) / (high - low)) * (width - 2) + 1 : width / 2);
  const y = (value: number) => height - 1 - (value / top) * (height - 3);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "hill", "aria-hidden": "true" });
  if (curve.length < 20) {
    for (const [at, value] of curve) {
      picture.append(svg("line", { x1: x(at), x2: x(at), y1: height - 1, y2: y(value), class: "bar" }));
    }
    return picture;
  }
  const points = curve.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  picture.append(svg("polygon", { points: `1,${height - 1} ${points} ${width - 1},${height - 1}` }));
  return picture;
}

/** Bins that should be filled, as they lie: the letters of a word. */
export function letters(wants: string[]): SVGElement | null {
  const bins = wants.map((want) => /^bin (\d+)\.(\d+)$/.exec(want));
  if (bins.length === 0 || bins.some((bin) => bin === null)) return null;
  const places = bins.map((bin): [number, number] => [Number(bin?.[1]), Number(bin?.[2])]);
  const [across, down] = [Math.max(...places.map(([x]) => x)) + 1, Math.max(...places.map(([, y]) => y)) + 1];
  const picture = svg("svg", { viewBox: `0 0 ${across * 10} ${down * 10}`, class: "letters", role: "img", "aria-label": "bins to be filled" });
  for (let x = 1; x <= across; x += 1) {
    for (let y = 1; y <= down; y += 1) {
      const filled = places.some(([px, py]) => px === x && py === y);
      picture.append(svg("circle", { cx: x * 10 - 5, cy: y * 10 - 5, r: filled ? 3.8 : 1, class: filled ? "filled" : "empty" }));
    }
  }
  return picture;
}

/** Several series over one axis, as lines; each series has a colour of its own. */
export function lines(series: [number, number][][], width = 280, height = 72): SVGElement {
  const all = series.flat();
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "lines",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  if (all.length === 0) return picture;
  const [left, right] = [Math.min(...all.map(([x]) => x)), Math.max(...all.map(([x]) => x))];
  const ys = all.map(([, y]) => y).sort((a, b) => a - b);
  // The start of a chain is far below all that follows: it may leave the picture.
  const bottom = ys[Math.floor(ys.length * 0.02)] ?? 0;
  const top = ys[ys.length - 1] ?? 1;
  const place = ([x, y]: [number, number]) => {
    const across = right > left ? ((x - left) / (right - left)) * (width - 4) + 2 : width / 2;
    const up = top > bottom ? Math.min((y - bottom) / (top - bottom), 1) : 0.5;
    return `${across.toFixed(1)},${(height - 3 - Math.max(up, 0) * (height - 6)).toFixed(1)}`;
  };
  series.forEach((one, index) => {
    picture.append(svg("polyline", { points: one.map(place).join(" "), class: `series-${index % 4}` }));
  });
  return picture;
}
