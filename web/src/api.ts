// Asking the server. What it refuses arrives as a `Refusal` with its remedy.

import type {
  BuiltinScene,
  GalleryEntry,
  LabJob,
  LabOrder,
  LabReport,
  LabResults,
  MeshReport,
  ModelCheck,
  ModelKept,
  ModelListed,
  ModelPreview,
  NetworkReport,
  Problem,
  RideReport,
  RunOrder,
  RunReport,
  SceneChoice,
  SceneTree,
  StudyAnalysis,
  StudyAnswer,
  StudyPerson,
  StudyReport,
  TakeBounds,
  TakeOrder,
  TakeReport,
  TakeSummary,
} from "./types";

export * from "./types";

/** A request that the server refused. */
export class Refusal extends Error {
  constructor(
    readonly problem: Problem,
    readonly status = 400,
  ) {
    super(problem.error);
  }
}

/** Whether the studio answers. Where it does not, it is asked again until it does. */
class Connection {
  onChange: (isThere: boolean) => void = () => {};
  private waiting: Promise<void> | null = null;

  /** Waits until the studio answers. */
  back(): Promise<void> {
    this.waiting ??= this.ask().finally(() => (this.waiting = null));
    return this.waiting;
  }

  private async ask(): Promise<void> {
    for (let pause = 200; ; pause = Math.min(pause * 1.4, 2000)) {
      const isThere = await fetch("/icon.svg", { cache: "no-store" }).then((answer) => answer.ok, () => false);
      if (isThere) return this.onChange(true);
      this.onChange(false);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

export const connection = new Connection();

/** Whether nobody answered. */
const isLost = (thrown: unknown) => thrown instanceof TypeError && /fetch|network|load failed/i.test(thrown.message);

/** What can be asked twice is asked again as soon as somebody answers. */
export async function asked(address: string, request: RequestInit = {}, canRepeat = true): Promise<Response> {
  // What cannot be repeated is not said before somebody listens.
  if (!canRepeat) await connection.back();
  for (;;) {
    try {
      const response = await fetch(address, request);
      if (response.ok) return response;
      throw new Refusal((await response.json()) as Problem, response.status);
    } catch (thrown) {
      if (!isLost(thrown)) throw thrown;
      const back = connection.back();
      if (!canRepeat) throw thrown;
      await back;
    }
  }
}

/** What is wrong, whatever was thrown. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refusal) return thrown.problem;
  if (isLost(thrown)) {
    return { error: "the studio did not answer", help: "try again as soon as it does" };
  }
  return { error: thrown instanceof Error ? thrown.message : String(thrown), help: "reload the page" };
}

async function ask<Answer>(path: string, method = "GET", body?: unknown, canRepeat = true): Promise<Answer> {
  const request: RequestInit = { method };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "content-type": "application/json" };
  }
  return (await (await asked(`/api${path}`, request, canRepeat)).json()) as Answer;
}

/** Begins something, which would begin twice if it were asked for twice. */
const begin = <Answer>(path: string, body?: unknown) => ask<Answer>(path, "POST", body, false);

/** Sends a file as it is. */
async function send<Answer>(path: string, file: Blob): Promise<Answer> {
  return (await (await asked(`/api${path}`, { method: "PUT", body: file })).json()) as Answer;
}

let scenes: Promise<BuiltinScene[]> | null = null;

export const api = {
  /** The built-in scenes; they do not change while the page is open. */
  scenes: () => {
    scenes ??= ask<BuiltinScene[]>("/scenes").catch((thrown: unknown) => {
      scenes = null;
      throw thrown;
    });
    return scenes;
  },
  check: (choice: SceneChoice) => ask<SceneTree>("/scenes/check", "POST", choice),
  meshes: () => ask<MeshReport[]>("/meshes"),
  keepMesh: (file: File) => send<MeshReport>(`/meshes/${encodeURIComponent(file.name)}`, file),
  dropMesh: (name: string) => ask<MeshReport[]>(`/meshes/${encodeURIComponent(name)}`, "DELETE"),
  order: (order: TakeOrder) => ask<TakeReport>("/takes", "POST", order),
  take: (id: string) => ask<TakeReport>(`/takes/${id}`),
  bounds: (id: string) => ask<TakeBounds>(`/takes/${id}/bounds`),
  stopTake: (id: string) => ask<TakeReport>(`/takes/${id}`, "DELETE"),
  runs: () => ask<RunReport[]>("/runs"),
  run: (id: string) => ask<RunReport>(`/runs/${id}`),
  start: (order: RunOrder) => begin<RunReport>("/runs", order),
  stop: (id: string) => ask<RunReport>(`/runs/${id}/stop`, "POST"),
  resume: (id: string, samples: number) => begin<RunReport>(`/runs/${id}/resume`, { samples }),
  entries: (id: string) => ask<GalleryEntry[]>(`/runs/${id}/entries`),
  entry: (id: string, index: number) => ask<TakeReport>(`/runs/${id}/entries/${index}`),
  favourite: (id: string, index: number, favourite: boolean) =>
    ask<RunReport>(`/runs/${id}/entries/${index}/favourite`, "PUT", { favourite }),
  networks: () => ask<NetworkReport[]>("/networks"),
  keepNetwork: (name: string, file: File) => send<NetworkReport>(`/networks/${name}`, file),
  rides: () => ask<RideReport[]>("/rides"),
  lab: () => ask<LabReport>("/lab"),
  labResults: (name: string) => ask<LabResults>(`/lab/${name}/results.json`),
  labRun: (name: string, order: LabOrder) => begin<LabJob>(`/lab/${name}/run`, order),
  labJob: (name: string) => ask<LabJob>(`/lab/${name}/job`),
  labStop: (name: string) => ask<LabJob>(`/lab/${name}/stop`, "POST"),
  studies: () => ask<StudyReport[]>("/studies"),
  studyJoin: (study: string) => begin<StudyPerson>(`/studies/${study}/people`, { consent: true }),
  studyPerson: (study: string, person: number) => ask<StudyPerson>(`/studies/${study}/people/${person}`),
  studyAnswer: (study: string, person: number, answer: StudyAnswer) => ask<StudyPerson>(`/studies/${study}/people/${person}/answers`, "POST", answer),
  studyRemark: (study: string, person: number, text: string) => ask<StudyPerson>(`/studies/${study}/people/${person}/remark`, "POST", { text }),
  studyAnalysis: (study: string) => ask<StudyAnalysis>(`/studies/${study}/analysis`),
  models: () => ask<ModelListed[]>("/models"),
  model: (name: string) => ask<ModelKept>(`/models/${encodeURIComponent(name)}`),
  checkModel: (toml: string) => ask<ModelCheck>("/models/check", "POST", { toml }),
  keepModel: (name: string, toml: string, replaces: string | null = null) => ask<ModelCheck>(`/models/${name}`, "PUT", { toml, replaces }),
  dropModel: (name: string) => ask<ModelListed[]>(`/models/${name}`, "DELETE"),
  previewModel: (toml: string) => ask<ModelPreview>("/models/preview", "POST", { toml }),
  compiledModel: (name: string) => ask<RideReport>(`/models/${name}/compiled`),
  compileModel: (name: string, thorough: boolean) => ask<RideReport>(`/models/${name}/compile`, "POST", { thorough }),
  stopModel: (name: string) => ask<RideReport>(`/models/${name}/stop`, "POST"),
  learn: (ride: string) => ask<RideReport>(`/rides/${ride}/learn`, "POST"),
};

export const clipAddress = (take: string) => `/api/takes/${take}/clip.glb`;
export const entryAddress = (run: string, index: number) => `/api/runs/${run}/entries/${index}/clip.glb`;

export const collisionsAddress = "/api/collisions/clip.glb";
export const ridesAddress = "/api/rides/clip.glb";
export const cityAddress = "/api/city/clip.glb";
export const fieldAddress = "/api/field/clip.glb";
export const meadowAddress = "/api/meadow/clip.glb";
export const reportAddress = (ride: string) => `/api/rides/${ride}/report.html`;

export const labReportAddress = "/api/lab/report.html";
export const labResultsAddress = (name: string) => `/api/lab/${name}/results.json`;
export const labPictureAddress = (name: string, picture: string) => `/api/lab/${name}/pictures/${picture}.svg`;
export const previewAddress = (id: string) => `/api/models/previews/${id}`;
export const modelReportAddress = (name: string) => `/api/models/${name}/report.html`;
export const modelExportAddress = (name: string, ending: string) => `/api/models/${name}/export/${ending}`;
export const studyAnswersAddress = (study: string) => `/api/studies/${study}/answers.csv`;
export const studyClipAddress = (study: string, condition: number) => `/api/studies/${study}/clips/${condition}`;

/** Waits for a simulation, and tells how far it is. */
export async function settled(
  order: () => Promise<TakeReport>,
  progress: (share: number) => void = () => {},
  isWanted: () => boolean = () => true,
): Promise<TakeSummary | null> {
  let report = await order();
  for (let pause = 30; report.state === "running"; pause = Math.min(pause * 1.5, 400)) {
    progress(report.done);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!isWanted()) return null;
    // A studio that was started again has forgotten what was ordered.
    report = await api.take(report.id).catch((thrown: unknown) => {
      if (thrown instanceof Refusal && thrown.status === 404) return order();
      throw thrown;
    });
  }
  if (report.state === "failed") throw new Refusal(report.problem);
  return report;
}

/** Hands a file of the server to the user. */
export function download(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
