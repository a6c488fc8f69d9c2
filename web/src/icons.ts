// Signs, drawn with lines so that they look the same everywhere.

import { h, svg } from "./dom";

const PATHS = {
  fit: "M2 6V2h4 M10 2h4v4 M14 10v4h-4 M6 14H2v-4",
  grid: "M2 5.5h12 M2 10.5h12 M5.5 2v12 M10.5 2v12",
  contacts: "M8 1.5v4 M8 10.5v4 M1.5 8h4 M10.5 8h4 M3.8 3.8l2 2 M10.2 10.2l2 2 M12.2 3.8l-2 2 M5.8 10.2l-2 2",
  bounds: "M2 2h3 M8 2h3 M14 2v3 M14 8v3 M14 14h-3 M8 14H5 M2 14v-3 M2 8V5 M8 6a2 2 0 1 0 .01 0",
  walk: "M9 2.6a1 1 0 1 0 .01 0 M5 7l3-1.8 2 1 1 2.3 2 .7 M8 5.2 7.4 9.5l2.6 2 .5 3 M7.4 9.5 6.6 12 4 14.5",
  left: "M2 3h12v10H2z M6 3v10",
  right: "M2 3h12v10H2z M10 3v10",
  theme: "M8 2a6 6 0 1 0 .01 0 M8 2v12 M8 5h4.5 M8 8h6 M8 11h4.5",
  star: "M8 1.8l1.9 4 4.3.5-3.2 3 .9 4.3L8 11.5l-3.9 2.1.9-4.3-3.2-3 4.3-.5z",
  compare: "M2 3h12v10H2z M8 3v10 M4 8h2 M10 8h2",
  download: "M8 2v8 M4.5 7 8 10.5 11.5 7 M2.5 13.5h11",
  dice: "M3 3h10v10H3z M5.8 5.8h.01 M10.2 5.8h.01 M8 8h.01 M5.8 10.2h.01 M10.2 10.2h.01",
  pin: "M5.5 2h5 M6.5 2v4.5L4 9.5h8L9.5 6.5V2 M8 9.5v5",
  breed: "M5 3.5a2.5 2.5 0 1 0 .01 0 M11 3.5a2.5 2.5 0 1 0 .01 0 M5 8.5 8 11.5l3-3 M8 11.5v3",
  close: "M4 4l8 8 M12 4l-8 8",
  play: "M4.5 2.5v11l9-5.5z",
  pause: "M4.5 3v10 M11.5 3v10",
} as const;

export type Sign = keyof typeof PATHS;

/** A sign of the size of a letter. */
export function icon(sign: Sign): SVGElement {
  return svg("svg", { viewBox: "0 0 16 16", class: `sign ${sign}`, "aria-hidden": "true" }, svg("path", { d: PATHS[sign] }));
}

/** A button that shows a sign instead of a word. */
export function iconButton(sign: Sign, name: string, action: () => void, pressed?: boolean): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: "icon",
      title: name,
      "aria-label": name,
      "aria-pressed": pressed === undefined ? undefined : String(pressed),
      on: { click: action },
    },
    icon(sign),
  );
}
