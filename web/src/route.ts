// Addresses within the page: everything that is looked at has one.

export interface Route {
  page: "unknown" | "home" | "play" | "direct" | "run" | "fairground" | "field" | "city" | "collisions" | "lab" | "study" | "rides";
  /** The scene, the run, the experiment, the ride, or what the field shows. */
  name: string;
  /** Which entry of a run. */
  entry: number | null;
  query: URLSearchParams;
}

/** Reads an address such as `#/play/bounce?seed=3`. */
export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  let parts: string[];
  try {
    parts = path.split("/").map(decodeURIComponent);
  } catch {
    return { page: "unknown", name: path, entry: null, query: new URLSearchParams() };
  }
  const [page = "", name = "", entry] = parts;
  const search = new URLSearchParams(query);
  const number = entry !== undefined && /^\d+$/.test(entry) ? Number(entry) : null;
  if (page === "play") return { page, name: name || "bounce", entry: null, query: search };
  if (page === "direct") return { page, name: name || "spell", entry: null, query: search };
  if (page === "fairground" || page === "city" || page === "collisions") return { page, name: "", entry: null, query: search };
  if (page === "field" || page === "lab" || page === "study" || page === "rides") return { page, name, entry: null, query: search };
  if (page === "runs" && name) return { page: "run", name, entry: number, query: search };
  return { page: page === "" ? "home" : "unknown", name: path, entry: null, query: search };
}

/** Changes the address without leaving the page. */
export function replace(hash: string): void {
  if (location.hash !== hash) history.replaceState(null, "", hash);
}
