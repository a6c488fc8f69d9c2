// What a worker of Node does: it loads its module once, and answers.

import { parentPort, workerData } from "node:worker_threads";
import { type Answer, type Keep, type Question, answer, buffers } from "../work.js";
import { engineOf } from "./host.js";

const engine = engineOf(workerData as string);
const keep: Keep = {};
const post = (value: Answer, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(value, transfer);
parentPort?.on("message", async (question: Question) => {
  try {
    const told = {
      done: (done: number, doing: string) => post({ done, doing }),
      gave: (value: unknown) => post({ gave: value }, buffers(value)),
    };
    const value = answer(await engine, question, told, keep);
    post(value, "result" in value ? buffers(value.result) : []);
  } catch (error) {
    post({ message: `the engine did not load: ${(error as Error).message}`, fault: true });
  }
});
