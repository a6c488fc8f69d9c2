// What a worker of a page does: it loads its module once, and answers.

import { type Answer, type Engine, type Keep, type Question, answer, buffers } from "./work.js";

/** Answers questions with a module, for as long as the worker lives. */
export function serve(load: () => Promise<Engine>): void {
  const port = globalThis as unknown as {
    postMessage(message: Answer, transfer?: Transferable[]): void;
    onmessage: ((event: MessageEvent<Question>) => void) | null;
  };
  const engine = load();
  const keep: Keep = {};
  port.onmessage = async (event) => {
    try {
      const told = {
        done: (done: number, doing: string) => port.postMessage({ done, doing }),
        gave: (value: unknown) => port.postMessage({ gave: value }, buffers(value)),
      };
      const value = answer(await engine, event.data, told, keep);
      port.postMessage(value, "result" in value ? buffers(value.result) : []);
    } catch (error) {
      port.postMessage({ message: `the engine did not load: ${(error as Error).message}`, fault: true });
    }
  };
}
