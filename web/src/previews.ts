// Small moving pictures: one renderer draws all of them, one after the other,
// and only those that can be seen.

import * as three from "three";
import { anew, load, type Clip } from "./clip";
import { h } from "./dom";
import { earth, refine } from "./finishes";
import { chase, colours, fade, follow, renderer, Set3D, type Angle, type Surroundings } from "./look";

const WIDTH = 320;
const HEIGHT = 200;
/** Clips that are fetched at the same time. */
const AT_ONCE = 2;
/** A picture is drawn at most so often in a second. */
const RATE = 30;
/** What is shown just fits into small pictures. */
const CLOSE = 1;
/** How much of a frame may be spent on pictures, ms. */
const BUDGET = 9;
/** How far one sees along a street, m. */
const STREET = 260;
/** After pictures that took longer, the page has so many times as long for everything else. */
const PAUSE = 1;

interface Tile {
  canvas: HTMLCanvasElement;
  address: () => Promise<string>;
  clip: Clip | null;
  set: Set3D | null;
  state: "idle" | "loading" | "ready" | "failed";
  visible: boolean;
  drawn: number;
  angle: Angle;
  where: Surroundings;
  share: number;
  look: PreviewLook;
  onReady: (clip: Clip) => void;
}

/** How a picture is looked at. */
export interface PreviewLook {
  angle?: Angle | undefined;
  where?: Surroundings | undefined;
  /** From how near: 1 shows all of it; the middle counts. */
  share?: number | undefined;
  /** Bodies take at least this share of half the picture. */
  least?: number | undefined;
  /** It is so high above a ground, m, which there is none of otherwise. */
  above?: number | undefined;
  /** It stands on a ground at height 0. */
  stands?: boolean | undefined;
  /** The colours of that ground, bare and overgrown. */
  earth?: [string, string] | undefined;
  /** It grows so many times around itself. */
  copies?: number | undefined;
  /** Streets: one drives behind the car that comes farthest. */
  chases?: boolean | undefined;
}

/** Ground under what is shown: as wide as one sees. */
function ground(clip: Clip, height: number, [bare, green]: [string, string] = ["#8d8864", "#6b7a40"]): three.Mesh {
  const { material, overgrown } = earth();
  material.color.set(bare);
  overgrown.set(green);
  const size = clip.focus.getSize(new three.Vector3()).length();
  const mesh = new three.Mesh(new three.CircleGeometry(12 * size, 48).rotateX(-Math.PI / 2), material);
  const middle = clip.focus.getCenter(new three.Vector3());
  mesh.position.set(middle.x, height, middle.z);
  mesh.receiveShadow = true;
  return mesh;
}

/** What grows around a clip: copies of it that bend as it does. */
function around(clip: Clip, many: number): three.Group {
  const size = clip.focus.getSize(new three.Vector3());
  const apart = 0.55 * Math.max(size.x, size.z);
  const group = new three.Group();
  const meshes = (root: three.Object3D) => {
    const all: three.Mesh[] = [];
    root.traverse((thing) => thing instanceof three.Mesh && all.push(thing));
    return all;
  };
  const own = meshes(clip.root);
  for (let number = 1; number <= many; number += 1) {
    // As seeds lie in a sunflower, none is near another.
    const [angle, away] = [2.4 * number, apart * Math.sqrt(number + 0.6)];
    const copy = clip.root.clone();
    meshes(copy).forEach((mesh, index) => (mesh.morphTargetInfluences = own[index]?.morphTargetInfluences ?? []));
    copy.position.set(away * Math.cos(angle), 0, away * Math.sin(angle));
    copy.rotation.y = 0.5 * Math.sin(3 * number);
    copy.scale.setScalar(0.8 + 0.3 * Math.abs(Math.sin(number)));
    group.add(copy);
  }
  return group;
}

class Previews {
  private renderer: three.WebGLRenderer | null = null;
  private readonly tiles = new Map<Element, Tile>();
  private readonly observer = new IntersectionObserver((changes) => {
    for (const change of changes) {
      const tile = this.tiles.get(change.target);
      if (tile) tile.visible = change.isIntersecting;
    }
    this.fetchMore();
  });
  private readonly camera = new three.PerspectiveCamera(35, WIDTH / HEIGHT, 0.01, 100);
  private next = 0;
  /** Until when nothing is drawn. */
  private rests = 0;
  private hasFailed = false;
  private running = false;

  /** A canvas that shows a clip in motion while it can be seen. */
  add(address: () => Promise<string>, look: PreviewLook = {}, onReady: (clip: Clip) => void = () => {}): HTMLCanvasElement {
    const canvas = h("canvas", { class: "preview", width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
    const { angle = "side", where = "indoors", share = CLOSE } = look;
    const tile: Tile = { canvas, address, clip: null, set: null, state: "idle", visible: false, drawn: 0, angle, where, share, look, onReady };
    this.tiles.set(canvas, tile);
    this.observer.observe(canvas);
    if (!this.running) {
      this.running = true;
      requestAnimationFrame((now) => this.draw(now));
    }
    return canvas;
  }

  /** Lets go of canvases that are no longer on the page. */
  sweep(): void {
    for (const [canvas, tile] of this.tiles) {
      if (canvas.isConnected) continue;
      this.observer.unobserve(canvas);
      tile.clip?.dispose();
      this.tiles.delete(canvas);
    }
  }

  /** The clips that are there by now. */
  clipOf(canvas: HTMLCanvasElement): Clip | null {
    return this.tiles.get(canvas)?.clip ?? null;
  }

  private fetchMore(): void {
    const all = [...this.tiles.values()];
    let loading = all.filter((tile) => tile.state === "loading").length;
    for (const tile of all) {
      if (loading >= AT_ONCE) return;
      if (tile.state !== "idle" || !tile.visible) continue;
      tile.state = "loading";
      loading += 1;
      void this.fetch(tile);
    }
  }

  private async fetch(tile: Tile): Promise<void> {
    try {
      const clip = await anew(async () => load(await tile.address()));
      tile.set = new Set3D(tile.where, "small");
      tile.set.scene.add(clip.root);
      const { above, stands, earth: colour, copies = 0, chases } = tile.look;
      if (stands) tile.set.scene.add(ground(clip, 0, colour));
      else if (above !== undefined) tile.set.scene.add(ground(clip, clip.focus.min.y - above, colour));
      if (copies > 0) tile.set.scene.add(around(clip, copies));
      if (chases) refine(clip.root);
      tile.set.light(clip.action, colours(), false);
      tile.clip = clip;
      tile.state = "ready";
      tile.onReady(clip);
    } catch {
      tile.state = "failed";
      tile.canvas.classList.add("failed");
    }
    this.fetchMore();
  }

  /** The theme has changed. */
  relight(): void {
    for (const tile of this.tiles.values()) if (tile.clip) tile.set?.light(tile.clip.action, colours(), false);
  }

  private draw(now: number): void {
    requestAnimationFrame((later) => this.draw(later));
    if (now < this.rests) return;
    const ready = [...this.tiles.values()].filter((tile) => tile.visible && tile.clip);
    const [started, first] = [performance.now(), this.next];
    for (let count = 0; count < ready.length; count += 1) {
      if (performance.now() - started > BUDGET) break;
      const tile = ready[(first + count) % ready.length];
      if (!tile || now - tile.drawn < 1000 / RATE) continue;
      this.drawTile(tile, now);
      this.next = (first + count + 1) % ready.length;
    }
    const spent = performance.now() - started;
    this.rests = spent > BUDGET ? now + (1 + PAUSE) * spent : 0;
  }

  private drawTile(tile: Tile, now: number): void {
    if (!tile.clip || !tile.set) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // A moment of rest before it begins again.
    const length = tile.clip.duration + 1.6;
    const time = still ? tile.clip.duration : Math.min((now / 1000) % length, tile.clip.duration);
    tile.clip.show(time);
    this.renderer ??= this.made();
    if (!this.renderer) return;
    const centre = (tile.look.chases ? chase(this.camera, tile.clip) : null) ?? follow(this.camera, tile.clip, time, tile.angle, tile.share, tile.look.least);
    fade(tile.set.scene, this.camera.position.distanceTo(centre), tile.look.chases ? STREET : undefined);
    tile.set.draw(this.renderer, this.camera);
    const context = tile.canvas.getContext("2d");
    context?.drawImage(this.renderer.domElement, 0, 0, tile.canvas.width, tile.canvas.height);
    tile.drawn = now;
    tile.canvas.dataset.moving = "true";
  }

  /** One renderer for all of them; none where there is nothing to draw with. */
  private made(): three.WebGLRenderer | null {
    if (this.hasFailed) return null;
    let made: three.WebGLRenderer;
    try {
      made = renderer(document.createElement("canvas"));
    } catch {
      this.hasFailed = true;
      for (const { canvas } of this.tiles.values()) canvas.classList.add("failed");
      return null;
    }
    made.setSize(WIDTH, HEIGHT, false);
    return made;
  }
}

export const previews = new Previews();
