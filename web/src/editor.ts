// Texts that one writes: numbered lines, colours, mistakes where they are, and undo.
// What does that is large, and comes when the first text is written.

import type { CodeEditor } from "./code_editor";
import { h } from "./dom";
import type { Problem } from "./types";

export class TextEditor {
  readonly element = h("div", { class: "text-editor" });
  /** Somebody has changed the text. */
  onChange: () => void = () => {};
  private inside: CodeEditor | null = null;
  private text = "";
  private problem: Problem | null = null;
  private isOpen = true;

  /** An editor with a name for those who hear the page; words that may be meant are offered. */
  constructor(label: string, words: () => string[] = () => []) {
    void import("./code_editor").then(({ CodeEditor }) => {
      if (!this.isOpen) return;
      this.inside = new CodeEditor(label, words);
      this.inside.value = this.text;
      this.inside.onChange = () => this.onChange();
      this.inside.tell(this.problem);
      this.element.replaceChildren(this.inside.element);
    });
  }

  get value(): string {
    return this.inside?.value ?? this.text;
  }

  /** Puts another text there; that is no change of somebody's. */
  set value(text: string) {
    this.text = text;
    if (this.inside) this.inside.value = text;
  }

  /** Marks what is wrong where it is. */
  tell(problem: Problem | null): void {
    this.problem = problem;
    this.inside?.tell(problem);
  }

  /** Goes to the end of the text. */
  toEnd(): void {
    this.inside?.toEnd();
  }

  dispose(): void {
    this.isOpen = false;
    this.inside?.dispose();
  }
}
