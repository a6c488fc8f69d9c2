// How work is done beside the page: one worker for each module, one order at a time, and
// one for each world that goes on.
//
// An order is stopped by ending its worker, which stops at once whatever it does and
// gives back its memory; the next order starts another from the compiled module. A world
// that is stopped is gone.

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
  /** A file that belongs to the order. */
  bytes?: Uint8Array;
  /** Whether the world is asked that an order before has made. */
  on?: boolean;
}

/** What a worker answers. */
export type Answer =
  | { done: number; doing: string }
  | { gave: unknown }
  | { result: unknown; bytes: number }
  | { message: string; remedy?: string; fault: boolean };

/** A world of an engine: an object that is freed. */
export interface World {
  free(): void;
  about(): unknown;
}

/** Where the one that answers keeps its world. */
export interface Keep {
  world?: World | undefined;
}

/** Those who are told while an order is done. */
export interface Told {
  done(done: number, doing: string): void;
  gave(value: unknown): void;
}

type Call = (order: string, told?: unknown, bytes?: Uint8Array, gave?: unknown) => unknown;

/** Does an order on this thread; a worker does it so as well. */
export function answer(engine: Engine, question: Question, told: Told, keep: Keep): Answer {
  try {
    if (FAILED.has(engine)) return { message: "the engine has failed on this thread before", remedy: AFRESH, fault: false };
    if (question.on && !keep.world)
      return { message: GONE, remedy: ANOTHER, fault: false };
    const from = (question.on ? keep.world : engine) as unknown as Record<string, Call>;
    const progress = question.progress ? (done: number, doing: string) => told.done(done, doing) : undefined;
    let result = from[question.call]?.(question.order, progress, question.bytes, (value: unknown) => told.gave(value));
    if (isWorld(result)) {
      keep.world?.free();
      keep.world = result;
      result = result.about();
    }
    const memory = (engine as unknown as { memory?: WebAssembly.Memory }).memory;
    return { result, bytes: memory?.buffer.byteLength ?? 0 };
  } catch (error) {
    const { message, remedy } = error as ProsceniumError;
    const fault = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    // What is left of its memory may be anything.
    if (fault) FAILED.add(engine);
    if (fault) return { message: `the engine has failed: ${message}`, remedy: FAULT, fault };
    return remedy === undefined ? { message, fault } : { message, remedy, fault };
  }
}

/** Modules that have failed: a worker ends with its own, and this thread keeps it. */
const FAILED = new WeakSet<Engine>();
const AFRESH = "load the page again, or let the work be done in a worker";
const GONE = "this was stopped or disposed of";
const ANOTHER = "make another";
const FAULT = "order less, if that was much for this device; if not, please report it with what was ordered";

function isWorld(value: unknown): value is World {
  return typeof (value as World | undefined)?.free === "function";
}

/** The buffers of an answer, to be handed over without a copy. */
export function buffers(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) found.push(value.buffer as ArrayBuffer);
  else if (value && typeof value === "object") for (const inner of Object.values(value)) buffers(inner, found);
  return found;
}

/** What an order may have besides. */
export interface More {
  /** A file that belongs to it. */
  bytes?: Uint8Array;
  /** Whether it is for the world that was made. */
  on?: boolean;
  /** Given what is found on the way. */
  gave?: (value: never) => void;
}

/** Orders for one module, done one after the other. */
export class Crew {
  #host: Host;
  #hands: Promise<Hands> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #keep: Keep = {};
  /** How much memory the module had after its last order. */
  bytes = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Gives an order; the call is a function of the module. */
  do<Result>(call: string, order: unknown, work: Work = {}, more: More = {}): Promise<Result> {
    const text = written(order);
    const { gave, ...rest } = more;
    const question: Question = { call, order: text, progress: work.progress !== undefined, ...rest };
    const done = this.#last.then(() => this.#one<Result>(question, work, gave));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Ends the worker; the next order starts another. */
  async rest(): Promise<void> {
    await this.#last;
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#keep.world?.free();
    this.#keep.world = undefined;
    const hands = this.#hands;
    this.#hands = undefined;
    (await hands?.catch(() => undefined))?.end();
  }

  async #one<Result>(question: Question, work: Work, gave?: (value: never) => void): Promise<Result> {
    work.signal?.throwIfAborted();
    if (work.worker === false) {
      const told = { done: (done: number, doing: string) => work.progress?.(done, doing), gave: (value: unknown) => gave?.(value as never) };
      return this.#settle<Result>(answer(await this.#host.engine(), question, told, this.#keep));
    }
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
          if ("gave" in value) return gave?.(value.gave as never);
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

/** A world that goes on in a worker of its own, or on this thread. */
export class Live {
  #crew: Crew;
  #here: boolean;
  #isGone = false;

  private constructor(crew: Crew, here: boolean) {
    this.#crew = crew;
    this.#here = here;
  }

  /** Makes a world by a function of the module; what is known of it then. */
  static async make<About>(host: Host, call: string, order: unknown, work: Work = {}, bytes?: Uint8Array): Promise<[Live, About]> {
    const crew = new Crew(host);
    try {
      const about = await crew.do<About>(call, order, work, bytes ? { bytes } : {});
      return [new Live(crew, work.worker === false), about];
    } catch (error) {
      await crew.rest();
      throw error;
    }
  }

  /** Asks a method of the world. */
  async ask<Result>(call: string, order: unknown = null, work: Omit<Work, "worker"> = {}, bytes?: Uint8Array): Promise<Result> {
    if (this.#isGone) throw new ProsceniumError(GONE, ANOTHER);
    return this.#crew.do<Result>(call, order, { ...work, ...(this.#here ? { worker: false } : {}) }, { on: true, ...(bytes ? { bytes } : {}) });
  }

  /** Ends it, and gives back its memory. */
  dispose(): Promise<void> {
    this.#isGone = true;
    return this.#crew.rest();
  }
}

/** A class that a module makes known where it can be made: by its own functions, never by `new`. */
export type Made<Instance, Makers> = Makers & (abstract new (live: never, about: never) => Instance);

/** An order as the engine reads it; whole numbers of any size are written out. */
function written(order: unknown): string {
  const plain = (_: string, value: unknown) => (typeof value === "number" && !Number.isFinite(value) ? null : value);
  const big = (key: string, value: unknown) => (typeof value === "bigint" ? `\u0000${value}` : plain(key, value));
  const text = JSON.stringify(order ?? null, big);
  return text.replace(/"\\u0000(-?\d+)"/g, "$1");
}
