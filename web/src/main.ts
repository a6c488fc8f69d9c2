import "./style.css";
import { openCity } from "./pages/city";
import { openCollisions } from "./pages/collisions";
import { openDirect } from "./pages/direct";
import { openFairground } from "./pages/fairground";
import { openField } from "./pages/field";
import { openHome, openUnknown } from "./pages/home";
import { openLab } from "./pages/lab";
import { openPlay } from "./pages/play";
import { openRides } from "./pages/rides";
import { openStudy } from "./pages/study";
import { problemOf } from "./api";
import { problemCard } from "./problems";
import { parse } from "./route";
import { Shell } from "./shell";

const root = document.getElementById("studio");
if (root) start(root);

function start(element: HTMLElement): void {
  const shell = new Shell(element);
  const follow = () => {
    const route = parse(location.hash);
    try {
      switch (route.page) {
        case "home":
          return shell.enter(() => openHome(shell));
        case "unknown":
          return shell.enter(() => openUnknown(shell, route));
        case "play":
          return shell.enter(() => openPlay(shell, route));
        case "city":
          return shell.enter(() => openCity(shell, route));
        case "collisions":
          return shell.enter(() => openCollisions(shell, route));
        case "fairground":
          return shell.enter(() => openFairground(shell, route));
        case "field":
          return shell.enter(() => openField(shell, route));
        case "lab":
          return shell.enter(() => openLab(shell, route));
        case "rides":
          return shell.enter(() => openRides(shell, route));
        case "study":
          return shell.enter(() => openStudy(shell, route));
        case "direct":
        case "run":
          return shell.enter(() => openDirect(shell, route));
      }
    } catch (thrown) {
      shell.say(problemCard(problemOf(thrown)));
    }
  };
  addEventListener("hashchange", follow);
  follow();
  shell.learn().catch((thrown: unknown) => shell.say(problemCard(problemOf(thrown))));
}
