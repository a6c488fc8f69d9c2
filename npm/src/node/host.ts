// Workers and modules as Node has them.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { Answer, Engine, Hands, Host } from "../work.js";

/** The bytes of a module. */
export async function bytesOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(new URL(`../wasm/${name}_bg.wasm`, import.meta.url)));
}

/** The module on this thread. */
export async function engineOf(name: string): Promise<Engine> {
  const { load } = (await import(`../${name}-engine.js`)) as { load(bytes: BufferSource): Promise<Engine> };
  return load(await bytesOf(name));
}

function nodeHands(worker: Worker): Hands {
  worker.unref();
  return {
    send: (message) => worker.postMessage(message),
    receive: (message, trouble) => {
      worker.removeAllListeners();
      worker.on("message", (value: Answer) => message(value));
      worker.on("error", (error) => trouble(error as Error));
      worker.on("exit", (code) => trouble(new Error(`the worker ended with ${code}`)));
    },
    end: () => {
      worker.removeAllListeners();
      void worker.terminate();
    },
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
  };
}

/** A host for Node. */
export function nodeHost(name: string): Host {
  let engine: Promise<Engine> | undefined;
  return {
    start: async () => nodeHands(new Worker(new URL("./worker.js", import.meta.url), { workerData: name })),
    engine: () => (engine ??= engineOf(name)),
  };
}
