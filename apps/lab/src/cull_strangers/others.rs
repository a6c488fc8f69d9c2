//! More systems from the textbooks: of circuits, chemistry, biology and the stage, with what
//! the first ones lack. Motions with corners, several basins, several clocks, a motion that
//! keeps several things, and motions that no compiler can do anything for.

use super::systems::Stranger;

/// The circuit of Chua, with its resistor of three straight pieces.
const CHUA: &str = "[state]\nx = { initial = { uniform = [-0.5, 0.5] } }\ny = { initial = 0.1 }\nz = { initial = 0.0 }\n\
     [motion]\nx = \"15.6 (y - x + 0.714 x + 0.2145 (abs(x + 1) - abs(x - 1)))\"\ny = \"x - y + z\"\nz = \"-28 y\"\n";

/// Thomas' labyrinth, the same in all three directions.
const THOMAS: &str = "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\ny = { initial = { uniform = [-1.0, 1.0] } }\n\
     z = { initial = { uniform = [-1.0, 1.0] } }\n[motion]\nx = \"sin(y) - 0.19 x\"\ny = \"sin(z) - 0.19 y\"\nz = \"sin(x) - 0.19 z\"\n";

/// A star in a galaxy, after Hénon and Heiles, at an energy where most paths are chaotic.
const HEILES: &str = "[state]\nx = { initial = 0.0 }\ny = { initial = 0.1 }\nu = { initial = 0.5 }\nv = { initial = 0.2 }\n\
     [motion]\nx = \"u\"\ny = \"v\"\nu = \"-x - 2 x y\"\nv = \"-y - x^2 + y^2\"\n\
     [output]\nx = \"x\"\ny = \"y\"\nenergy = \"0.5 (x^2 + y^2 + u^2 + v^2) + x^2 y - y^3 / 3\"\n";

/// A pendulum whose pivot is shaken up and down at nearly twice its own pace.
const SHAKEN: &str = "[state]\na = { angle = true, initial = { uniform = [-0.5, 0.5] } }\nv = { initial = 0.0 }\n[motion]\na = \"v\"\n\
     v = \"-(g + 8 cos(6 t)) sin(a) - 0.4 v\"\n";

/// A ball on a table that goes up and down too gently to throw it again: it comes to ride on
/// it, for which its file has no mode.
const DRUMMED: &str = "[state]\nheight = { initial = { uniform = [0.5, 1.0] } }\nspeed = { initial = 0.0 }\n[forcing]\nperiod = \"2 pi / 9\"\n\
     [motion]\nheight = \"speed\"\nspeed = \"-g\"\n[modes]\nfly = {}\n[[switch]]\nfrom = \"fly\"\nto = \"fly\"\n\
     when = \"height <= 0.1 sin(9 t) and speed < 0.9 cos(9 t)\"\nreset = { speed = \"0.9 cos(9 t) - 0.5 (speed - 0.9 cos(9 t))\" }\n";

/// A ball between two walls that gives nothing back and loses nothing.
const BETWEEN_WALLS: &str = "[state]\nx = { initial = { uniform = [-0.5, 0.5] } }\nv = { initial = { uniform = [0.5, 1.5] } }\n[motion]\n\
     x = \"v\"\nv = 0.0\n[modes]\nfly = {}\n[[switch]]\nfrom = \"fly\"\nto = \"fly\"\nwhen = \"x >= 1 and v > 0\"\nreset = { v = \"-v\" }\n\
     [[switch]]\nfrom = \"fly\"\nto = \"fly\"\nwhen = \"x <= -1 and v < 0\"\nreset = { v = \"-v\" }\n";

/// A body that tumbles in the air, about its middle axis: it keeps its energy and its swing.
const TUMBLING: &str = "[state]\na = { initial = 0.1 }\nb = { initial = 2.0 }\nc = { initial = 0.0 }\n[motion]\na = \"0.5 b c\"\nb = \"-c a\"\n\
     c = \"0.5 a b\"\n[output]\na = \"a\"\nb = \"b\"\nenergy = \"a^2 + b^2 + c^2\"\n";

/// A planet on an ellipse.
const PLANET: &str = "[state]\nx = { initial = 1.0 }\ny = { initial = 0.0 }\nu = { initial = 0.0 }\nv = { initial = 1.2 }\n[motion]\nx = \"u\"\n\
     y = \"v\"\nu = \"-x / (x^2 + y^2)^1.5\"\nv = \"-y / (x^2 + y^2)^1.5\"\n\
     [output]\nx = \"x\"\ny = \"y\"\nenergy = \"0.5 (u^2 + v^2) - 1 / sqrt(x^2 + y^2)\"\n";

/// Three fireflies that draw each other along.
const FIREFLIES: &str = "[state]\na = { angle = true, initial = { uniform = [-3.0, 3.0] } }\nb = { angle = true, initial = { uniform = [-3.0, 3.0] } }\n\
     c = { angle = true, initial = 0.0 }\n[motion]\na = \"1 + 0.4 sin(b - a) + 0.4 sin(c - a)\"\nb = \"1.3 + 0.4 sin(a - b) + 0.4 sin(c - b)\"\n\
     c = \"1.6 + 0.4 sin(a - c) + 0.4 sin(b - c)\"\n";

/// A magnet on a string over three others, which comes to rest over one of them.
const MAGNETS: &str = "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\ny = { initial = { uniform = [-1.0, 1.0] } }\nu = { initial = 0.0 }\n\
     v = { initial = 0.0 }\n[define]\np = \"((x - 1)^2 + y^2 + 0.06)^1.5\"\nq = \"((x + 0.5)^2 + (y - 0.866)^2 + 0.06)^1.5\"\n\
     r = \"((x + 0.5)^2 + (y + 0.866)^2 + 0.06)^1.5\"\n[motion]\nx = \"u\"\ny = \"v\"\n\
     u = \"-0.5 x - 0.3 u - 0.5 (x - 1) / p - 0.5 (x + 0.5) / q - 0.5 (x + 0.5) / r\"\n\
     v = \"-0.5 y - 0.3 v - 0.5 y / p - 0.5 (y - 0.866) / q - 0.5 (y + 0.866) / r\"\n";

/// A nerve cell that fires in bursts, after Hindmarsh and Rose.
const BURSTING: &str = "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\ny = { initial = 0.0 }\nz = { initial = 3.0 }\n[motion]\n\
     x = \"y - x^3 + 3 x^2 - z + 3.25\"\ny = \"1 - 5 x^2 - y\"\nz = \"0.005 (4 (x + 1.6) - z)\"\n";

/// A spring that is struck at random times.
const STRUCK: &str = "[state]\nx = { initial = 0.0 }\nv = { initial = 0.0 }\nleft = { initial = { exponential = 0.5 } }\n[motion]\nx = \"v\"\n\
     v = \"-4 x - 0.5 v\"\nleft = -1.0\n[modes]\nswing = {}\n[[switch]]\nfrom = \"swing\"\nto = \"swing\"\nwhen = \"left <= 0\"\n\
     reset = { v = \"v + 1\", left = { exponential = 0.5 } }\n";

/// Foxes and rabbits on a small meadow, after Rosenzweig and MacArthur.
const MEADOW: &str = "[state]\nrabbits = { initial = { uniform = [0.2, 1.5] } }\nfoxes = { initial = { uniform = [0.2, 1.0] } }\n[motion]\n\
     rabbits = \"rabbits (1 - rabbits / 3) - rabbits foxes / (0.5 + rabbits)\"\nfoxes = \"rabbits foxes / (0.5 + rabbits) - 0.5 foxes\"\n";

/// Two springs of their own pace that know nothing of each other and lose nothing.
const TWO_SPRINGS: &str = "[state]\nx = { initial = 1.0 }\ny = { initial = 0.5 }\nu = { initial = 0.0 }\nv = { initial = 0.7 }\n[motion]\nx = \"u\"\n\
     y = \"v\"\nu = \"-x\"\nv = \"-3.1 y\"\n";

/// A ring of current that a push turns faster than friction can hold it.
const RUNNING: &str = "[state]\na = { angle = true, initial = { uniform = [-3.0, 3.0] } }\nv = { initial = 0.0 }\n[motion]\na = \"v\"\n\
     v = \"1.4 - sin(a) - 0.6 v\"\n";

/// A fever that comes again every year or so, with the seasons.
const FEVER: &str = "[state]\nhealthy = { initial = { uniform = [0.3, 0.6] } }\nill = { initial = 0.01 }\n[motion]\n\
     healthy = \"0.1 (1 - healthy) - 2 (1 + 0.2 cos(0.5 t)) healthy ill\"\nill = \"2 (1 + 0.2 cos(0.5 t)) healthy ill - 0.6 ill\"\n";

pub(super) fn others() -> Vec<Stranger> {
    vec![
        Stranger::of("Chua's circuit", None, CHUA),
        Stranger::of("Thomas' labyrinth", None, THOMAS),
        Stranger::of("Hénon and Heiles", Some(0.05), HEILES),
        Stranger::of("shaken pendulum", None, SHAKEN),
        Stranger::of("ball on a drum", Some(0.02), DRUMMED).wrong(),
        Stranger::of("ball between walls", Some(0.05), BETWEEN_WALLS),
        Stranger::of("tumbling body", Some(0.05), TUMBLING),
        Stranger::of("planet", Some(0.05), PLANET),
        Stranger::of("fireflies", None, FIREFLIES),
        Stranger::of("magnets", None, MAGNETS),
        Stranger::of("bursting nerve", Some(0.05), BURSTING),
        Stranger::of("struck spring", Some(0.2), STRUCK),
        Stranger::of("foxes on a meadow", None, MEADOW),
        Stranger::of("two springs without friction", Some(0.05), TWO_SPRINGS),
        Stranger::of("running ring", None, RUNNING),
        Stranger::of("fever", None, FEVER),
        Stranger::of(
            "dry friction",
            None,
            "[state]\nx = { initial = { uniform = [-2.0, 2.0] } }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\n\
             v = \"-4 x - 0.8 sign(v)\"\n",
        )
        .wrong(),
        Stranger::of(
            "growth without end",
            None,
            "[state]\nx = { initial = { uniform = [0.5, 1.0] } }\n[motion]\nx = \"0.5 x\"\n",
        )
        .wrong(),
    ]
}
