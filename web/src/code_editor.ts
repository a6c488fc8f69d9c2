// The inside of a text editor. It is loaded where a text is written, and not before.

import { autocompletion, type Completion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState, Transaction } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "./types";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-name)" },
  { tag: [tags.bracket, tags.squareBracket, tags.keyword], color: "var(--accent)" },
]);

export class CodeEditor {
  readonly element: HTMLElement;
  /** Somebody has changed the text. */
  onChange: () => void = () => {};
  private readonly view: EditorView;

  /** An editor with a name for those who hear the page; words that may be meant are offered. */
  constructor(label: string, words: () => string[] = () => []) {
    const offer = (typed: string): Completion[] => words().map((word) => ({ label: word, boost: word.startsWith(typed) ? 1 : 0 }));
    const extensions = [
      lineNumbers(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      bracketMatching(),
      lintGutter(),
      StreamLanguage.define(toml),
      syntaxHighlighting(COLOURS),
      autocompletion({
        override: [
          (context) => {
            const word = context.matchBefore(/[\w.-]+/);
            return word && (word.to - word.from > 1 || context.explicit) ? { from: word.from, options: offer(word.text), validFor: /^[\w.-]*$/ } : null;
          },
        ],
      }),
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && update.transactions.some((one) => one.annotation(Transaction.userEvent) !== undefined)) this.onChange();
      }),
    ];
    this.view = new EditorView({ state: EditorState.create({ extensions }) });
    this.element = this.view.dom;
    // What scrolls can be scrolled with the keyboard.
    this.view.scrollDOM.tabIndex = 0;
    this.element.classList.add("editor");
  }

  get value(): string {
    return this.view.state.doc.toString();
  }

  /** Puts another text there; it can be taken back, and is no change of somebody's. */
  set value(text: string) {
    if (text !== this.value) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Marks what is wrong where it is. */
  tell(problem: Problem | null): void {
    const { doc } = this.view.state;
    const all = problem ? [problem, ...(problem.more ?? [])] : [];
    const marks: Diagnostic[] = all.flatMap(({ place, error, help }) => {
      if (!place || place.line < 1 || place.line > doc.lines) return [];
      const line = doc.line(place.line);
      const from = Math.min(line.from + Math.max(place.column - 1, 0), line.to);
      return [{ from, to: Math.min(from + Math.max(place.length, 1), line.to), severity: "error" as const, message: help ? `${error}\n${help}` : error }];
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Goes to the end of the text. */
  toEnd(): void {
    const end = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: end }, scrollIntoView: true });
  }

  dispose(): void {
    this.view.destroy();
  }
}
