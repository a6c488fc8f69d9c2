// Making elements, and little else.

export type Child = Node | string | number | null | undefined | false;

type Events = { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };

export interface Props {
  class?: string | undefined;
  on?: Events | undefined;
  [attribute: string]: string | number | boolean | null | undefined | Events;
}

/** An element with attributes, listeners and children. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value as Events)) {
        element.addEventListener(event, listener as EventListener);
      }
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...present(children));
  return element;
}

/** An element of a picture. */
export function svg(tag: string, attributes: Record<string, string | number>, ...children: Node[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Puts other children into an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...present(children));
}

function present(children: Child[]): (Node | string)[] {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "number" ? String(child) : (child as Node | string)));
}

/** A button with a word, a tip and a shortcut that is shown with it. */
export function button(label: string, action: () => void, options: { tip?: string; class?: string } = {}) {
  return h(
    "button",
    { type: "button", class: options.class, title: options.tip, on: { click: action } },
    label,
  );
}

/** A canvas to draw on anew, in its own pixels; nothing if it is not shown. */
export function blank(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext("2d");
  if (!context || width === 0) return null;
  const ratio = Math.min(devicePixelRatio, 2);
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  context.scale(ratio, ratio);
  return context;
}

/** Draws a chart anew when it has another size, or the page other colours. */
export function redrawn(element: HTMLElement, draw: () => void): void {
  new ResizeObserver(draw).observe(element);
  const theme = new MutationObserver(() => (element.isConnected ? draw() : theme.disconnect()));
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}

/** A large number with narrow gaps: 41 210. */
export function grouped(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A number with few digits. */
export function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(1).replace("e", " e");
  return Number(value.toPrecision(4)).toString();
}

/** Calls something when a value has not changed for a while. */
export function later(action: () => void, milliseconds: number): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(action, milliseconds);
  };
}

/** What the browser remembers from one visit to the next. */
export function remembered<Value>(key: string, otherwise: Value): { get(): Value; set(value: Value): void } {
  const name = `proscenium.${key}`;
  return {
    get() {
      try {
        const text = localStorage.getItem(name);
        return text === null ? otherwise : (JSON.parse(text) as Value);
      } catch {
        return otherwise;
      }
    },
    set(value) {
      try {
        localStorage.setItem(name, JSON.stringify(value));
      } catch {
        // A browser that keeps nothing forgets the layout, and nothing else.
      }
    },
  };
}
