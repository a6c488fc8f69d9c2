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
  ModelListed,
  ModelPreview,
  ModelText,
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
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.error);
    this.problem = problem;
  }
}

/** What is wrong, whatever was thrown. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refusal) return thrown.problem;
  if (thrown instanceof TypeError && /fetch|network/i.test(thrown.message)) {
    return { error: "the studio does not answer", help: "start it again with: cargo xtask studio" };
  }
  return { error: thrown instanceof Error ? thrown.message : String(thrown), help: "reload the page" };
}

async function ask<Answer>(path: string, method = "GET", body?: unknown, signal?: AbortSignal): Promise<Answer> {
  const request: RequestInit = { method };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "content-type": "application/json" };
  }
  if (signal) request.signal = signal;
  const response = await fetch(`/api${path}`, request);
  if (!response.ok) throw new Refusal((await response.json()) as Problem);
  return (await response.json()) as Answer;
}

/** Sends a file as it is. */
async function send<Answer>(path: string, file: Blob): Promise<Answer> {
  const response = await fetch(`/api${path}`, { method: "PUT", body: file });
  if (!response.ok) throw new Refusal((await response.json()) as Problem);
  return (await response.json()) as Answer;
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
  start: (order: RunOrder) => ask<RunReport>("/runs", "POST", order),
  stop: (id: string) => ask<RunReport>(`/runs/${id}/stop`, "POST"),
  resume: (id: string, samples: number) => ask<RunReport>(`/runs/${id}/resume`, "POST", { samples }),
  entries: (id: string) => ask<GalleryEntry[]>(`/runs/${id}/entries`),
  entry: (id: string, index: number) => ask<TakeReport>(`/runs/${id}/entries/${index}`),
  favourite: (id: string, index: number, favourite: boolean) =>
    ask<RunReport>(`/runs/${id}/entries/${index}/favourite`, "PUT", { favourite }),
  networks: () => ask<NetworkReport[]>("/networks"),
  keepNetwork: (name: string, file: File) => send<NetworkReport>(`/networks/${name}`, file),
  rides: () => ask<RideReport[]>("/rides"),
  lab: () => ask<LabReport>("/lab"),
  labResults: (name: string) => ask<LabResults>(`/lab/${name}/results.json`),
  labRun: (name: string, order: LabOrder) => ask<LabJob>(`/lab/${name}/run`, "POST", order),
  labJob: (name: string) => ask<LabJob>(`/lab/${name}/job`),
  labStop: (name: string) => ask<LabJob>(`/lab/${name}/stop`, "POST"),
  studies: () => ask<StudyReport[]>("/studies"),
  studyJoin: (study: string) => ask<StudyPerson>(`/studies/${study}/people`, "POST", { consent: true }),
  studyPerson: (study: string, person: number) => ask<StudyPerson>(`/studies/${study}/people/${person}`),
  studyAnswer: (study: string, person: number, answer: StudyAnswer) => ask<StudyPerson>(`/studies/${study}/people/${person}/answers`, "POST", answer),
  studyRemark: (study: string, person: number, text: string) => ask<StudyPerson>(`/studies/${study}/people/${person}/remark`, "POST", { text }),
  studyAnalysis: (study: string) => ask<StudyAnalysis>(`/studies/${study}/analysis`),
  models: () => ask<ModelListed[]>("/models"),
  model: (name: string) => ask<ModelText>(`/models/${encodeURIComponent(name)}`),
  checkModel: (toml: string) => ask<ModelCheck>("/models/check", "POST", { toml }),
  keepModel: (name: string, toml: string) => ask<ModelCheck>(`/models/${name}`, "PUT", { toml }),
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
  first: Promise<TakeReport>,
  progress: (share: number) => void = () => {},
  isWanted: () => boolean = () => true,
): Promise<TakeSummary | null> {
  let report = await first;
  for (let pause = 30; report.state === "running"; pause = Math.min(pause * 1.5, 400)) {
    progress(report.done);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!isWanted()) return null;
    report = await api.take(report.id);
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
