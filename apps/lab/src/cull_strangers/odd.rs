//! Systems that are odd: conditions that hold when they are just equal, pushes shorter than a
//! step, motions faster than a picture, chaos that dies out, clocks of a day. Each of them was
//! wrong without a word, took for ever, or might have.

use super::systems::Stranger;

/// A meadow that is mown evenly beside those who graze on it: a limit cycle with a constant loss.
const HARVEST: &str = r#"[state]
prey = { initial = { uniform = [0.500000, 2.000000] } }
pred = { initial = { uniform = [0.500000, 1.500000] } }
[motion]
prey = "prey (1 - prey / 4) - prey pred / (1 + prey) - 0.05"
pred = "prey pred / (1 + prey) - 0.45 pred"
"#;

/// A nerve cell of FitzHugh and Nagumo that is driven beside its own pace.
const FORCED_NERVE: &str = r#"[state]
v = { initial = { uniform = [-2.000000, 2.000000] } }
w = { initial = 0.0 }
[motion]
v = "v - v^3 / 3 - w + 0.3 + 0.3 cos(0.45 t)"
w = "0.08 (v + 0.7 - 0.8 w)"
"#;

/// A motor behind a relay with hysteresis: a limit cycle of two modes.
const RELAY: &str = r#"[state]
x = { initial = { uniform = [-2.000000, 2.000000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-v - 1"
[modes]
push = { v = "-v + 1" }
pull = {}
[[switch]]
from = "push"
to = "pull"
when = "x >= 0.5"
[[switch]]
from = "pull"
to = "push"
when = "x <= -0.5"
"#;

/// A block on a belt and a spring: it sticks as a mode, and slips as another. What is just
/// strong enough to tear it off must not be weak enough to hold it.
const BELT: &str = r#"[state]
x = { initial = { uniform = [-1.400000, 0.500000] } }
v = { initial = 0.3 }
[motion]
x = "v"
v = "-4 x + 0.8 / (1 + 2 abs(v - 0.3))"
[modes]
stick = { x = "0.3", v = "0.0" }
slip = {}
[[switch]]
from = "stick"
to = "slip"
when = "4 x >= 1"
[[switch]]
from = "slip"
to = "stick"
when = "v >= 0.3 and 4 x < 1"
reset = { v = 0.3 }
"#;

/// The same without modes: stiff, and a limit cycle.
const BELT_SMOOTH: &str = r#"[state]
x = { initial = { uniform = [-1.000000, 1.000000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-4 x - 0.1 v + (0.4 + 0.6 exp(-abs(v - 0.3))) tanh((0.3 - v) / 0.01)"
"#;

/// Kapitza's pendulum stands on its head while its pivot trembles eighty radians a second.
const KAPITZA: &str = r#"[state]
a = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
v = { initial = 0.0 }
[motion]
a = "v"
v = "(g + 0.05 80^2 cos(80 t)) sin(a) - 0.6 v"
"#;

/// Two clocks of different pace on one wall that beat with each other, and never lock.
const TWO_VAN_DER_POL: &str = r#"[state]
x = { initial = { uniform = [-2.000000, 2.000000] } }
u = { initial = 0.0 }
y = { initial = { uniform = [-2.000000, 2.000000] } }
v = { initial = 0.0 }
[motion]
x = "u"
u = "(1 - x^2) u - x + 0.1 (y - x)"
y = "v"
v = "(1 - y^2) v - 2.1 y + 0.1 (x - y)"
"#;

/// Five of Kuramoto's oscillators, of which some drift for ever.
const KURAMOTO: &str = r#"[state]
a = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
b = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
c = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
d = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
e = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
[define]
k = 0.25
[motion]
a = "0.5 + k (sin(b - a) + sin(c - a) + sin(d - a) + sin(e - a))"
b = "0.8 + k (sin(a - b) + sin(c - b) + sin(d - b) + sin(e - b))"
c = "1.1 + k (sin(a - c) + sin(b - c) + sin(d - c) + sin(e - c))"
d = "1.7 + k (sin(a - d) + sin(b - d) + sin(c - d) + sin(e - d))"
e = "2.6 + k (sin(a - e) + sin(b - e) + sin(c - e) + sin(d - e))"
"#;

/// A ball on a table that throws it: chaotic, and hardly ever at rest for long enough to ride.
const HARD_TABLE: &str = r#"[state]
h = { initial = { uniform = [0.500000, 1.000000] } }
v = { initial = 0.0 }
[forcing]
period = "2 pi / 12"
[motion]
h = "v"
v = "-g"
[modes]
fly = {}
[[switch]]
from = "fly"
to = "fly"
when = "h <= 0.15 sin(12 t) and v < 1.8 cos(12 t)"
reset = { v = "1.8 cos(12 t) - 0.8 (v - 1.8 cos(12 t))" }
"#;

/// A gear with play that is driven: straight pieces with corners.
const BACKLASH: &str = r#"[state]
x = { initial = { uniform = [-0.500000, 0.500000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-0.2 v - 20 (x - max(-0.2, min(0.2, x))) + 1.5 cos(1.7 t)"
"#;

/// Duffing's oscillator under two drives without a common period.
const QUASI_DUFFING: &str = r#"[state]
x = { initial = { uniform = [-1.000000, 1.000000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "x - x^3 - 0.3 v + 0.3 cos(1.2 t) + 0.2 cos(0.7416198 t)"
"#;

/// A cart that goes on for ever: its place never comes again.
const WANDERER: &str = r#"[state]
x = { initial = 0.0 }
v = { initial = { uniform = [0.000000, 1.000000] } }
[motion]
x = "v"
v = "0.5 (1 + 0.3 sin(x) - v)"
"#;

/// Steps of random length at random times: what is usual is wider every minute.
const DRUNKARD: &str = r#"[state]
x = { initial = 0.0 }
left = { initial = 1.0 }
side = { initial = { normal = [0.0, 1.0] } }
[motion]
side = 0.0
x = "0.0"
left = "-1.0"
[modes]
walk = {}
[[switch]]
from = "walk"
to = "walk"
when = "left <= 0"
reset = { x = "x + side", side = { normal = [0.0, 1.0] }, left = { exponential = 1.0 } }
"#;

/// Duffing's oscillator, pushed to and fro by a switch.
const SQUARE_DUFFING: &str = r#"[state]
x = { initial = { uniform = [-1.000000, 1.000000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "x - x^3 - 0.25 v + 0.4 sign(sin(1.1 t))"
"#;

/// A bell that rests, and is struck for a fifth of a second twice a minute.
const HAMMER: &str = r#"[state]
x = { initial = 0.0 }
v = { initial = { uniform = [-1.000000, 1.000000] } }
[motion]
x = "v"
v = "-4 x - 3 v + if(mod(t, 30) > 29.8, 40, 0)"
"#;

/// A string that trembles five times a second, on a swing.
const STRING: &str = r#"[state]
x = { initial = { uniform = [-1.000000, 1.000000] } }
v = { initial = 0.0 }
y = { initial = { uniform = [-1.000000, 1.000000] } }
u = { initial = 0.0 }
[motion]
x = "v"
v = "-1000 x - 0.4 v + 50 y"
y = "u"
u = "-2 y - 0.3 u + cos(1.3 t)"
"#;

/// A wheel whose motor fails after twenty minutes on the average, and is not mended.
const BREAKS_DOWN: &str = r#"[state]
turn = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
speed = { initial = 1.0 }
left = { initial = { exponential = 0.0008 } }
[motion]
turn = "speed"
speed = "0.5 (1 - speed)"
left = "-1.0"
[modes]
runs = {}
broken = { speed = "-2 speed", left = "0.0" }
[[switch]]
from = "runs"
to = "broken"
when = "left <= 0"
"#;

/// A ball in two hollows that is pushed at random times, and seldom far enough.
const RARE_JUMPS: &str = r#"[state]
x = { initial = { uniform = [-1.200000, 1.200000] } }
v = { initial = 0.0 }
left = { initial = { exponential = 2.0 } }
push = { initial = 0.0 }
[motion]
x = "v"
v = "x - x^3 - 0.5 v"
left = "-1.0"
push = "0.0"
[modes]
live = {}
[[switch]]
from = "live"
to = "live"
when = "left <= 0"
reset = { v = "v + push", push = { normal = [0.0, 0.22] }, left = { exponential = 2.0 } }
"#;

/// An oven that heats for minutes and cools for longer.
const FACTORY_DAY: &str = r#"[state]
heat = { initial = 20.0 }
clock = { initial = { uniform = [10.000000, 600.000000] } }
[motion]
heat = "0.02 (20 - heat)"
clock = "-1.0"
[modes]
night = {}
day = { heat = "0.02 (60 - heat)" }
[[switch]]
from = "night"
to = "day"
when = "clock <= 0"
reset = { clock = 400.0 }
[[switch]]
from = "day"
to = "night"
when = "clock <= 0"
reset = { clock = 600.0 }
"#;

/// Lorenz' equations where chaos lasts long and ends.
const PRETURBULENCE: &str = r#"[state]
x = { initial = { uniform = [-15.000000, 15.000000] } }
y = { initial = { uniform = [-15.000000, 15.000000] } }
z = { initial = { uniform = [10.000000, 40.000000] } }
[motion]
x = "10 (y - x)"
y = "x (22.5 - z) - y"
z = "x y - 8 z / 3"
"#;

/// A rotor that runs on if it runs and hangs if it hangs.
const ROTOR_OR_REST: &str = r#"[state]
a = { angle = true, initial = { uniform = [-3.000000, 3.000000] } }
v = { initial = { uniform = [-3.000000, 3.000000] } }
[motion]
a = "v"
v = "0.4 - sin(a) - 0.15 v"
"#;

/// A clock whose weight kicks the pendulum at its lowest point, in a mode that stays: the
/// condition holds after the kick as before.
const ESCAPEMENT: &str = r#"[state]
a = { initial = { uniform = [0.200000, 0.600000] } }
v = { initial = 0.0 }
[motion]
a = "v"
v = "-9 sin(a) - 0.2 v"
[modes]
swing = {}
[[switch]]
from = "swing"
to = "swing"
when = "a >= 0 and v > 0"
reset = { v = "v + 0.2" }
"#;

/// The same with a mode for each side.
const ESCAPEMENT_MODES: &str = r#"[state]
a = { initial = { uniform = [0.200000, 0.600000] } }
v = { initial = 0.0 }
[motion]
a = "v"
v = "-9 sin(a) - 0.2 v"
[modes]
right = {}
left = {}
[[switch]]
from = "right"
to = "left"
when = "a <= 0"
[[switch]]
from = "left"
to = "right"
when = "a >= 0"
reset = { v = "v + 0.2" }
"#;

/// A driven oscillator that hits a stop.
const STOP: &str = r#"[state]
x = { initial = { uniform = [-0.500000, 0.500000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-x - 0.1 v + 0.8 cos(0.9 t)"
[modes]
swing = {}
[[switch]]
from = "swing"
to = "swing"
when = "x >= 0.5 and v > 0"
reset = { v = "-0.7 v" }
"#;

/// A basin that empties at once when it is full.
const SIPHON: &str = r#"[state]
level = { initial = { uniform = [0.000000, 1.000000] } }
[motion]
level = "0.3 - 0.1 level"
[modes]
fills = {}
[[switch]]
from = "fills"
to = "fills"
when = "level >= 1"
reset = { level = 0.0 }
"#;

/// A nerve cell that fires when it is charged, by an even current and a swinging one.
const FIRES: &str = r#"[state]
v = { initial = { uniform = [0.000000, 1.000000] } }
[motion]
v = "-v + 1.2 + 0.3 sin(2 t)"
[modes]
loads = {}
[[switch]]
from = "loads"
to = "loads"
when = "v >= 1"
reset = { v = 0.0 }
"#;

/// A buoy on the tide: its forcing comes around twice a day.
const TIDE: &str = r#"[state]
x = { initial = { uniform = [-1.000000, 1.000000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-4 (x - sin(2 pi t / 44700)) - 0.5 v"
"#;

/// Something slow on the mains, fifty times a second.
const MAINS: &str = r#"[state]
x = { initial = { uniform = [-1.000000, 1.000000] } }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-25 x - 0.3 v + 4 sin(2 pi 50 t)"
"#;

/// A train on a ring that brakes before its station: a place that goes around, and a condition
/// that does not.
const TRAIN: &str = r#"[state]
place = { wrap = 100.0, initial = { uniform = [0.0, 100.0] } }
speed = { initial = 0.0 }
wait = { initial = 3.0 }
[motion]
place = "speed"
speed = "0.5 (8 - speed)"
wait = "0.0"
[modes]
go = {}
brake = { speed = "-2" }
stand = { speed = "0.0", wait = "-1.0" }
[[switch]]
from = "go"
to = "brake"
when = "place > 80 and place < 90"
[[switch]]
from = "brake"
to = "stand"
when = "speed <= 0"
reset = { speed = 0.0, wait = { uniform = [3.0, 6.0] } }
[[switch]]
from = "stand"
to = "go"
when = "wait <= 0"
reset = { place = 92.0 }
"#;

/// A spring that loses a thousandth of its swing in a minute.
const HARDLY_DAMPED: &str = r#"[state]
x = { initial = 1.0 }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-4 x - 0.00004 v"
"#;

/// One of thirty rolls over the hill into the other hollow, and stays there.
const FEW_ELSEWHERE: &str = r#"[state]
x = { initial = { uniform = [-0.034, 1.0] } }
left = { initial = 1.0 }
[motion]
x = "x - x^3"
left = "-1.0"
[modes]
live = {}
[[switch]]
from = "live"
to = "live"
when = "left <= 0"
reset = { left = { uniform = [0.5, 1.5] } }
"#;

/// Machines of two kinds, three of a hundred of the one, which only their mode tells.
const TWO_KINDS: &str = r#"[state]
kind = { initial = { uniform = [0.0, 1.0] } }
left = { initial = 0.01 }
[motion]
kind = "0.0"
left = "-1.0"
[modes]
first = "born"
born = {}
red = {}
blue = {}
[[switch]]
from = "born"
to = "red"
when = "left <= 0 and kind < 0.03"
reset = { left = { uniform = [1.0, 3.0] }, kind = 0.5 }
[[switch]]
from = "born"
to = "blue"
when = "left <= 0 and kind >= 0.03"
reset = { left = { uniform = [1.0, 3.0] }, kind = 0.5 }
[[switch]]
from = "red"
to = "red"
when = "left <= 0"
reset = { left = { uniform = [1.0, 3.0] } }
[[switch]]
from = "blue"
to = "blue"
when = "left <= 0"
reset = { left = { uniform = [1.0, 3.0] } }
"#;

/// A pendulum that touches a bell at the top of its swing, for a tenth of a second.
const TOUCHED: &str = r#"[state]
x = { initial = 0.8 }
v = { initial = 0.0 }
sound = { initial = 0.0 }
[motion]
x = "v"
v = "-40 x"
sound = "-2 sound"
[modes]
away = {}
back = {}
[[switch]]
from = "away"
to = "back"
when = "x > 0.75"
reset = { sound = 1.0 }
[[switch]]
from = "back"
to = "away"
when = "x < 0"
"#;

/// A seat of a carousel, which swings out and comes to rest.
const SEAT: &str = r#"[state]
swing = { initial = { normal = [0.3, 0.1] } }
rate = { initial = 0.0 }
[motion]
swing = "rate"
rate = "(2.47 (2 + 1.2 sin(swing)) cos(swing) - g sin(swing)) / 1.2 - 0.3 rate"
"#;

pub(super) fn odd() -> Vec<Stranger> {
    vec![
        Stranger::of("seat of a carousel", None, SEAT),
        Stranger::of("few elsewhere", None, FEW_ELSEWHERE),
        Stranger::of("two kinds", Some(0.2), TWO_KINDS),
        Stranger::of("touched bell", Some(0.02), TOUCHED),
        Stranger::of("grazed meadow", None, HARVEST),
        Stranger::of("driven nerve", None, FORCED_NERVE),
        Stranger::of("relay", Some(0.1), RELAY),
        Stranger::of("block on a belt", Some(0.1), BELT),
        Stranger::of("block on a smooth belt", None, BELT_SMOOTH),
        Stranger::of("shaken upside down", None, KAPITZA),
        Stranger::of("two clocks on a wall", None, TWO_VAN_DER_POL),
        Stranger::of("five fireflies", None, KURAMOTO),
        Stranger::of("ball on a hard table", Some(0.02), HARD_TABLE),
        Stranger::of("gear with play", None, BACKLASH),
        Stranger::of("Duffing, two drives", None, QUASI_DUFFING),
        Stranger::of("wanderer", None, WANDERER),
        Stranger::of("drunkard", Some(0.2), DRUNKARD),
        Stranger::of("Duffing, switched drive", None, SQUARE_DUFFING),
        Stranger::of("bell and hammer", None, HAMMER),
        Stranger::of("string on a swing", None, STRING),
        Stranger::of("machine that breaks", Some(0.3), BREAKS_DOWN),
        Stranger::of("rare jumps", Some(0.2), RARE_JUMPS),
        Stranger::of("oven", Some(2.0), FACTORY_DAY),
        Stranger::of("Lorenz, dying out", None, PRETURBULENCE),
        Stranger::of("rest or run", None, ROTOR_OR_REST),
        Stranger::of("clock, one mode", Some(0.05), ESCAPEMENT).wrong(),
        Stranger::of("clock, two modes", Some(0.05), ESCAPEMENT_MODES),
        Stranger::of("impact oscillator", Some(0.05), STOP),
        Stranger::of("siphon", Some(0.2), SIPHON),
        Stranger::of("integrate and fire", Some(0.05), FIRES),
        Stranger::of("buoy", None, TIDE),
        Stranger::of("lamp on the mains", None, MAINS),
        Stranger::of("train on a ring", Some(0.3), TRAIN),
        Stranger::of("spring that hardly loses", Some(0.1), HARDLY_DAMPED),
    ]
}
