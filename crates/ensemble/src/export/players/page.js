
// ---- What the page does with the player.

const say = (text) => (document.querySelector("[role=status]").textContent = text);

/** Where so many instances stand: a square of rows, each a little off. */
function stands(count, apart) {
  const side = Math.ceil(Math.sqrt(count));
  const chance = new Stream(7, "stands");
  const off = () => 0.5 * apart * (chance.uniform() - 0.5);
  return Array.from({ length: count }, (_, at) => ({
    x: apart * ((at % side) - (side - 1) / 2) + (count > 1 ? off() : 0),
    z: apart * (Math.floor(at / side) - (side - 1) / 2) + (count > 1 ? off() : 0),
    turn: count > 1 ? 0.8 * (chance.uniform() - 0.5) : 0,
    seed: at + 1,
  }));
}

/** From the world to clip space: a camera that looks at a place. */
function look(eye, at, aspect, far) {
  const back = unit(minus(eye, at), [0, 0, 1]);
  const right = unit(cross([0, 1, 0], back), [1, 0, 0]);
  const up = cross(back, right);
  const near = far / 4000;
  const [tall, deep] = [2.2, [(far + near) / (near - far), (2 * far * near) / (near - far)]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const column = (x, y, z) => [(tall / aspect) * x, tall * y, deep[0] * z, -z];
  return [
    ...column(right[0], up[0], back[0]),
    ...column(right[1], up[1], back[1]),
    ...column(right[2], up[2], back[2]),
    (-tall / aspect) * dot(right, eye), -tall * dot(up, eye), -deep[0] * dot(back, eye) + deep[1], dot(back, eye),
  ];
}

async function show() {
  const text = document.querySelector("#graph").textContent;
  const graph = new MotionGraph(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  const canvas = document.querySelector("canvas");
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) throw new Error("this browser has no WebGL 2");
  const view = new EnsembleView(gl, graph);
  await view.prepare((share) => say(`making shapes: ${Math.round(100 * share)} %`));
  const [low, high] = [0, 1].map((end) => [0, 1, 2].map((axis) => {
    const all = graph.rest.filter((_, at) => at % 3 === axis);
    return all.reduce((a, b) => (end === 0 ? Math.min(a, b) : Math.max(a, b)));
  }));
  const apart = 1.1 * Math.max(high[0] - low[0], high[2] - low[2], 0.3 * (high[1] - low[1]));
  const middle = [0, 1, 2].map((axis) => 0.5 * (low[axis] + high[axis]));
  const count = document.querySelector("#count");
  let away = 1;
  const plant = () => {
    const many = 2 ** Number(count.value);
    view.setInstances(stands(many, apart));
    away = 1.5 * Math.hypot(...minus(high, low)) + 0.55 * apart * Math.sqrt(many);
  };
  count.addEventListener("input", plant);
  plant();
  const levels = document.querySelector("#levels");
  for (const level of graph.levels) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = graph.conditions[level].name;
    button.addEventListener("click", () => {
      view.want(level);
      for (const other of levels.children) other.setAttribute("aria-pressed", String(other === button));
    });
    button.setAttribute("aria-pressed", String(levels.children.length === 0));
    levels.append(button);
  }
  let [turn, tilt, zoom] = [0.7, 0.3, 1];
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons === 0) return;
    turn -= event.movementX / 200;
    tilt = Math.min(1.5, Math.max(0.02, tilt + event.movementY / 200));
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom = Math.min(5, Math.max(0.1, zoom * Math.exp(event.deltaY / 1000)));
  }, { passive: false });
  canvas.addEventListener("keydown", ({ key }) => {
    turn += { ArrowLeft: -0.1, ArrowRight: 0.1 }[key] ?? 0;
    tilt = Math.min(1.5, Math.max(0.02, tilt + ({ ArrowUp: 0.1, ArrowDown: -0.1 }[key] ?? 0)));
    zoom *= { "+": 0.9, "-": 1.1 }[key] ?? 1;
  });
  gl.enable(gl.DEPTH_TEST);
  gl.clearColor(0.62, 0.72, 0.77, 1);
  const began = performance.now();
  const frame = () => {
    const scale = Math.min(devicePixelRatio, 2);
    const [wide, tall] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
    gl.viewport(0, 0, wide, tall);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const far = away * zoom;
    const eye = [
      middle[0] + far * Math.cos(tilt) * Math.sin(turn),
      middle[1] + far * Math.sin(tilt),
      middle[2] + far * Math.cos(tilt) * Math.cos(turn),
    ];
    const matrix = look(eye, middle, wide / tall, 10 * away);
    const height = high[1] - low[1];
    const stats = view.draw({ view: matrix, eye, seconds: (performance.now() - began) / 1000, details: graph.details.map((_, at) => height * 8 * (at + 1)) });
    say(`${stats.instances} in view, ${stats.drawCalls} draw calls, ${stats.texels} texels per frame`);
    requestAnimationFrame(frame);
  };
  frame();
}

show().catch((error) => say(error.message));
