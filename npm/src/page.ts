// Workers and modules as a page has them.

import type { Answer, Engine, Hands, Host } from "./work.js";

/** Hands by a worker of a page. */
export function pageHands(worker: Worker): Hands {
  return {
    send: (message) => worker.postMessage(message),
    receive: (message, trouble) => {
      worker.onmessage = (event: MessageEvent<Answer>) => message(event.data);
      worker.onerror = (event) => trouble(new Error(event.message || "the worker did not start"));
    },
    end: () => worker.terminate(),
    hold: () => {},
  };
}

/** A host for a page, from how its worker is started and its module is loaded. */
export function pageHost(start: () => Worker, load: () => Promise<Engine>): Host {
  let engine: Promise<Engine> | undefined;
  return { start: async () => pageHands(start()), engine: () => (engine ??= load()) };
}
