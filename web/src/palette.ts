// The command palette: everything that can be done, found by a few letters.

import { fill, h } from "./dom";

export interface Command {
  name: string;
  hint?: string;
  run: () => void;
}

/** How well a command fits what was typed; lower is better. */
export function fit(typed: string, name: string): number | null {
  const [needle, hay] = [typed.toLowerCase().trim(), name.toLowerCase()];
  if (needle === "") return 0;
  const whole = hay.indexOf(needle);
  if (whole >= 0) return whole;
  let at = -1;
  let gaps = 0;
  for (const letter of needle) {
    const found = hay.indexOf(letter, at + 1);
    if (found < 0) return null;
    gaps += found - at - 1;
    at = found;
  }
  return 100 + gaps;
}

export class Palette {
  private readonly dialog: HTMLDialogElement;
  private readonly input: HTMLInputElement;
  private readonly list = h("ul", { id: "commands", role: "listbox", "aria-label": "Commands" });
  private shown: Command[] = [];
  private chosen = 0;
  private readonly commands: () => Command[];

  constructor(commands: () => Command[]) {
    this.commands = commands;
    this.input = h("input", {
      type: "text",
      placeholder: "What would you like to do?",
      role: "combobox",
      "aria-expanded": "true",
      "aria-controls": "commands",
      "aria-label": "Command",
      on: { input: () => this.filter(), keydown: (event) => this.key(event) },
    });
    this.dialog = h("dialog", { class: "palette", "aria-label": "Command palette" }, this.input, this.list);
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  open(): void {
    this.input.value = "";
    this.dialog.showModal();
    this.filter();
    this.input.focus();
  }

  private filter(): void {
    const scored = this.commands()
      .map((command) => ({ command, score: fit(this.input.value, command.name) }))
      .filter((one): one is { command: Command; score: number } => one.score !== null);
    scored.sort((a, b) => a.score - b.score);
    this.shown = scored.slice(0, 60).map((one) => one.command);
    this.chosen = 0;
    this.render();
  }

  private render(): void {
    const items = this.shown.map((command, index) =>
      h(
        "li",
        {
          role: "option",
          id: `command-${index}`,
          "aria-selected": String(index === this.chosen),
          on: { click: () => this.run(index) },
        },
        h("span", {}, command.name),
        command.hint ? h("kbd", {}, command.hint) : null,
      ),
    );
    fill(this.list, ...(items.length > 0 ? items : [h("li", { class: "empty" }, "Nothing of that name.")]));
    this.input.setAttribute("aria-activedescendant", `command-${this.chosen}`);
    this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.shown.length > 0) {
      this.chosen = (this.chosen + step + this.shown.length) % this.shown.length;
      this.render();
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.run(this.chosen);
      event.preventDefault();
    }
  }

  private run(index: number): void {
    this.dialog.close();
    this.shown[index]?.run();
  }
}
