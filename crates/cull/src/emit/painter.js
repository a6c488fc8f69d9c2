// ---------------------------------------------------------------------------
// What shows it: boxes, balls and meshes on a canvas, the farthest first.

const canvas = document.querySelector("canvas");
const told = document.querySelector("[role=status]");
const button = document.querySelector("button");
const players = COPIES.map((ahead, copy) => new Player(copy + 1, ahead));
const middle = BOUNDS[0].map((low, i) => 0.5 * (low + BOUNDS[1][i]));
const reach = 0.5 * Math.hypot(...BOUNDS[0].map((low, i) => BOUNDS[1][i] - low));
let [turn, tilt, away] = [0.6, 0.35, 3.2 * reach];
let isSeen = true;
let lastRegimes = "";

/** A pose is nine numbers of a rotation, by rows, and three of a place. */
function posed(parent, [x, y, z, ax, ay, az, angle]) {
  const length = Math.hypot(ax, ay, az);
  const [ux, uy, uz] = length > 0 ? [ax / length, ay / length, az / length] : [0, 1, 0];
  const c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
  const own = [
    c + ux * ux * d, ux * uy * d - uz * s, ux * uz * d + uy * s,
    uy * ux * d + uz * s, c + uy * uy * d, uy * uz * d - ux * s,
    uz * ux * d - uy * s, uz * uy * d + ux * s, c + uz * uz * d,
  ];
  if (!parent) return { turned: own, at: [x, y, z] };
  const turned = [];
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) {
      let sum = 0;
      for (let i = 0; i < 3; i++) sum += parent.turned[3 * row + i] * own[3 * i + column];
      turned.push(sum);
    }
  }
  return { turned, at: moved(parent, [x, y, z]) };
}

function moved({ turned, at }, point) {
  return at.map((from, row) => from + turned[3 * row] * point[0] + turned[3 * row + 1] * point[1] + turned[3 * row + 2] * point[2]);
}

/** In the eyes of the viewer: aside, up, and how far. */
function seen(point) {
  const [x, y, z] = point.map((value, i) => value - middle[i]);
  const aside = Math.cos(turn) * x - Math.sin(turn) * z;
  const depth = Math.sin(turn) * x + Math.cos(turn) * z;
  return [aside, Math.cos(tilt) * y - Math.sin(tilt) * depth, away - Math.sin(tilt) * y - Math.cos(tilt) * depth];
}

const FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
const NORMALS = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];

function shade(colour, light) {
  return `rgb(${colour.map((value) => Math.round(Math.min(255, value * light))).join(" ")})`;
}

/** What there is to paint, with its distance. */
function shapes(now) {
  const all = [];
  players.forEach((player, copy) => {
    const time = now + COPIES[copy];
    const state = player.see(time);
    lastRegimes = state.regime;
    const shown = Object.values(player.show(state, time));
    const poses = [];
    PARTS.forEach((part) => {
      const pose = posed(part.parent === null ? null : poses[part.parent], part.place(shown, copy));
      poses.push(pose);
      if (copy > 0 && !part.each) return;
      if (part.mesh !== null) {
        const corners = part.mesh.positions.map((position) => moved(pose, position));
        part.mesh.triangles.forEach((triangle) => {
          const [a, b, c] = triangle.map((corner) => corners[corner]);
          const [u, v] = [b.map((value, i) => value - a[i]), c.map((value, i) => value - a[i])];
          const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
          const length = Math.hypot(...normal) || 1;
          const points = [a, b, c].map(seen);
          const light = 0.8 + (0.25 * normal[1] + 0.1 * normal[0]) / length;
          all.push({ far: (points[0][2] + points[1][2] + points[2][2]) / 3, points, fill: shade(part.colour, light) });
        });
        return;
      }
      if (part.half === null) return;
      if (part.isBall) {
        const at = seen(pose.at);
        return all.push({ far: at[2], ball: at, radius: part.half[0], fill: shade(part.colour, 0.95) });
      }
      const corners = Array.from({ length: 8 }, (_, i) => moved(pose, part.half.map((half, axis) => (i & (4 >> axis) ? half : -half))));
      FACES.forEach((face, side) => {
        const points = face.map((corner) => seen(corners[corner]));
        const up = NORMALS[side].reduce((sum, value, i) => sum + value * pose.turned[3 + i], 0);
        const across = NORMALS[side].reduce((sum, value, i) => sum + value * pose.turned[i], 0);
        all.push({ far: points.reduce((sum, point) => sum + point[2], 0) / 4, points, fill: shade(part.colour, 0.8 + 0.25 * up + 0.1 * across) });
      });
    });
  });
  return all.sort((a, b) => b.far - a.far);
}

function paint(now) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = Math.min(devicePixelRatio, 2);
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.lineJoin = "round";
  const focus = 1.5 * Math.min(width, height);
  const place = ([x, y, far]) => [width / 2 + (focus * x) / far, height / 2 - (focus * y) / far];
  for (const shape of shapes(now)) {
    context.beginPath();
    if (shape.ball) context.arc(...place(shape.ball), (focus * shape.radius) / shape.far, 0, 2 * Math.PI);
    else shape.points.forEach((point, i) => (i === 0 ? context.moveTo(...place(point)) : context.lineTo(...place(point))));
    context.closePath();
    context.fillStyle = context.strokeStyle = shape.fill;
    context.fill();
    context.stroke();
  }
}

const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
function frame() {
  // Nothing at all is computed while nobody looks.
  if (!isSeen) return;
  paint(seconds());
  requestAnimationFrame(frame);
}

button.addEventListener("click", () => {
  isSeen = !isSeen;
  button.textContent = isSeen ? "Look away" : "Look again";
  canvas.hidden = !isSeen;
  if (isSeen) {
    frame();
    told.textContent = { complete: "came back by the complete model", approximate: "came back by jumps", sampled: "came back by a sample" }[lastRegimes];
  } else told.textContent = "costs nothing now";
});
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons === 0) return;
  turn -= 0.008 * event.movementX;
  tilt = Math.min(1.5, Math.max(-0.2, tilt + 0.008 * event.movementY));
});
canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
canvas.addEventListener("wheel", (event) => {
  away = Math.min(10 * reach, Math.max(1.3 * reach, away * Math.exp(0.001 * event.deltaY)));
});
canvas.addEventListener("keydown", (event) => {
  turn += { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key] ?? 0;
  tilt = Math.min(1.5, Math.max(-0.2, tilt + ({ ArrowUp: 0.08, ArrowDown: -0.08 }[event.key] ?? 0)));
});
frame();
