// What all pages share: where else one can go, and how what is wrong is said.

const PAGES = [
  ["index.html", "Proscenium"], ["dice.html", "Dice"], ["spell.html", "Spell"], ["city.html", "City"],
  ["fairground.html", "Fairground"], ["meadow.html", "Meadow"], ["book/index.html", "Book"], ["doc/proscenium/index.html", "Documentation"],
];

const header = document.createElement("header");
for (const [href, name] of PAGES) {
  const link = Object.assign(document.createElement("a"), { href, textContent: name });
  if (location.pathname.endsWith(`/${href}`)) link.setAttribute("aria-current", "page");
  header.append(link);
}
document.body.prepend(header);

/** Says something below the controls. */
export function say(text) {
  const output = document.querySelector("output");
  if (output) output.textContent = text;
}

/** Does something, and says what is wrong with it, with the remedy. */
export async function attempt(work) {
  const alert = document.querySelector("[role=alert]");
  alert.textContent = "";
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") alert.textContent = error.remedy ? `${error.message}: ${error.remedy}` : error.message;
    return undefined;
  }
}

/** Looks around with the pointer: turns and heights from drags, and distance from the wheel. */
export function orbit(canvas, { distance, turn = 0.6, rise = 0.5 }) {
  const at = { distance, turn, rise };
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    at.turn -= event.movementX / 200;
    at.rise = Math.min(1.5, Math.max(0.05, at.rise + event.movementY / 200));
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    at.distance *= Math.exp(event.deltaY / 1000);
  }, { passive: false });
  return (to) => {
    const [out, up] = [at.distance * Math.cos(at.rise), at.distance * Math.sin(at.rise)];
    return [to[0] + out * Math.sin(at.turn), to[1] + up, to[2] + out * Math.cos(at.turn)];
  };
}
