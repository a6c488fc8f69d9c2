// How work is done beside the page: one worker for each module, one order at a time.
//
// An order is stopped by ending its worker, which stops at once whatever it does and
// gives back its memory; the next order starts another from the compiled module.

/** How an order may be watched and stopped. */
export interface Work {
  /** Told how far the work is: a share from 0 to 1, and what is being done. */
  progress?: (done: number, doing: string) => void;
  /** Stops the work; its promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** `false` works on the calling thread, where neither progress nor a stop can be seen in between. */
  worker?: boolean;
}

/** What is wrong with an order, in the engine's words, and what to do about it. */
export class ProsceniumError extends Error {
  /** What to do. */
  readonly remedy?: string;
  constructor(message: string, remedy?: string) {
    super(message);
    this.name = "ProsceniumError";
    if (remedy !== undefined) this.remedy = remedy;
  }
}

/** What a module of the engine exports. */
export type Engine = Record<string, (...values: never[]) => unknown>;

/** A worker, in a page or in Node. */
export interface Hands {
  send(message: unknown): void;
  receive(message: (value: Answer) => void, trouble: (reason: Error) => void): void;
  end(): void;
  /** Whether it keeps a program from ending. */
  hold(busy: boolean): void;
}

/** What a page and Node do differently. */
export interface Host {
  /** Starts a worker of a module. */
  start(): Promise<Hands>;
  /** The module on this thread. */
  engine(): Promise<Engine>;
}

/** What a worker is asked. */
export interface Question {
  call: string;
  order: string;
  progress: boolean;
}

/** What a worker answers. */
export type Answer =
  | { done: number; doing: string }
  | { result: unknown; bytes: number }
  | { message: string; remedy?: string; fault: boolean };

/** Does an order on this thread; a worker does it so as well. */
export function answer(engine: Engine, question: Question, told?: (done: number, doing: string) => void): Answer {
  try {
    const call = engine[question.call] as unknown as (order: string, told?: unknown) => unknown;
    const result = call(question.order, question.progress ? told : undefined);
    const memory = (engine as unknown as { memory?: WebAssembly.Memory }).memory;
    return { result, bytes: memory?.buffer.byteLength ?? 0 };
  } catch (error) {
    const { message, remedy } = error as ProsceniumError;
    const fault = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    return remedy === undefined ? { message, fault } : { message, remedy, fault };
  }
}

/** The buffers of an answer, to be handed over without a copy. */
export function buffers(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) found.push(value.buffer as ArrayBuffer);
  else if (value && typeof value === "object") for (const inner of Object.values(value)) buffers(inner, found);
  return found;
}

/** Orders for one module, done one after the other. */
export class Crew {
  #host: Host;
  #hands: Promise<Hands> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** How much memory the module had after its last order. */
  bytes = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Gives an order; the call is a function of the module. */
  do<Result>(call: string, order: unknown, work: Work = {}): Promise<Result> {
    const text = written(order);
    const question: Question = { call, order: text, progress: work.progress !== undefined };
    const done = this.#last.then(() => this.#one<Result>(question, work));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Ends the worker; the next order starts another. */
  async rest(): Promise<void> {
    await this.#last;
    await this.#end();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const hands = this.#hands;
    this.#hands = undefined;
    (await hands?.catch(() => undefined))?.end();
  }

  async #one<Result>(question: Question, work: Work): Promise<Result> {
    work.signal?.throwIfAborted();
    if (work.worker === false) return this.#settle<Result>(answer(await this.#host.engine(), question, work.progress));
    clearTimeout(this.#idle);
    this.#hands ??= this.#host.start();
    const hands = await this.#hands.catch((error: unknown) => {
      this.#hands = undefined;
      throw error;
    });
    work.signal?.throwIfAborted();
    hands.hold(true);
    let stop = () => {};
    try {
      return await new Promise<Result>((resolve, reject) => {
        stop = () => {
          void this.#end();
          reject(work.signal?.reason);
        };
        work.signal?.addEventListener("abort", stop, { once: true });
        const trouble = (reason: Error) => {
          void this.#end();
          reject(reason);
        };
        hands.receive((value) => {
          if ("done" in value) return work.progress?.(value.done, value.doing);
          // A module that has failed is in no state to go on.
          if ("fault" in value && value.fault) void this.#end();
          try {
            resolve(this.#settle<Result>(value));
          } catch (error) {
            reject(error);
          }
        }, trouble);
        hands.send(question);
      });
    } finally {
      work.signal?.removeEventListener("abort", stop);
      hands.hold(false);
    }
  }

  #settle<Result>(value: Answer): Result {
    if ("result" in value) {
      this.bytes = value.bytes;
      return value.result as Result;
    }
    if ("message" in value) throw new ProsceniumError(value.message, value.remedy);
    throw new ProsceniumError("the engine gave no answer");
  }
}

/** An order as the engine reads it; whole numbers of any size are written out. */
function written(order: unknown): string {
  const plain = (_: string, value: unknown) => (typeof value === "number" && !Number.isFinite(value) ? null : value);
  const big = (key: string, value: unknown) => (typeof value === "bigint" ? `\u0000${value}` : plain(key, value));
  const text = JSON.stringify(order ?? null, big);
  return text.replace(/"\\u0000(-?\d+)"/g, "$1");
}
