// All systems on one host, each as its own module has them.

import { cityOn } from "./city-orders.js";
import { cullOn } from "./cull-orders.js";
import { diceOn } from "./dice-orders.js";
import { directOn } from "./direct-orders.js";
import { ensembleOn } from "./ensemble-orders.js";
import { rigidOn } from "./rigid-orders.js";
import type { Host } from "./work.js";

/** The functions and classes of every module on a host. */
export function allOn(host: Host) {
  const [City, Ensemble, World, { Ride, Fairground }] = [cityOn(host), ensembleOn(host), rigidOn(host), cullOn(host)];
  return {
    city: { City, generate: City.generate, read: City.read },
    cull: { Ride, Fairground, compile: Ride.compile, read: Ride.read, models: Ride.models, fairground: Fairground.make, rest: Ride.rest },
    dice: diceOn(host),
    direct: directOn(host),
    ensemble: { Ensemble, build: Ensemble.build, open: Ensemble.open, names: Ensemble.names, rest: Ensemble.rest },
    rigid: { World, world: World.make },
  };
}
