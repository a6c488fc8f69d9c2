//! Systems from the textbooks, as their authors would write them.

/// A system that did not come with the engine.
#[derive(Clone, Debug)]
pub(crate) struct Stranger {
    pub name: String,
    pub must_be_right: bool,
    /// Whether the file says something that is not so, or nothing that can be computed for
    /// long, and refusing it is right.
    pub is_wrong: bool,
    pub text: String,
    /// A viewer is unsure of the time by so much, seconds, and not of the state:
    /// for systems that keep something, or have modes, which a state beside the
    /// one that was seen would not keep.
    pub along: Option<f64>,
}

impl Stranger {
    pub(super) fn of(name: &str, along: Option<f64>, text: &str) -> Self {
        let text = format!("format = 1\nname = \"{name}\"\n{text}");
        Self { name: name.to_owned(), must_be_right: false, is_wrong: false, text, along }
    }

    fn must(mut self) -> Self {
        self.must_be_right = true;
        self
    }

    pub(super) fn wrong(mut self) -> Self {
        self.is_wrong = true;
        self
    }

    pub(super) fn drawn(name: &str, along: Option<f64>, text: &str) -> Self {
        Self::of(name, along, text)
    }
}

/// The chaotic oscillator of Duffing, with the usual constants.
fn duffing(start: &str, forcing: &str) -> String {
    format!(
        "[state]\nx = {{ initial = {start} }}\nv = {{ initial = 0.0 }}\n{forcing}[motion]\nx = \"v\"\n\
         v = \"x - x^3 - 0.3 v + 0.5 cos(1.2 t)\"\n"
    )
}

/// The driven pendulum of Baker and Gollub: periodic at 0.9, chaotic at 1.15.
fn driven_pendulum(push: f64) -> String {
    format!(
        "[state]\nangle = {{ angle = true, initial = {{ uniform = [-1.0, 1.0] }} }}\nrate = {{ initial = 0.0 }}\n\
         [forcing]\nperiod = \"3 pi\"\n[motion]\nangle = \"rate\"\n\
         rate = \"-sin(angle) - 0.5 rate + {push} cos(2 t / 3)\"\n"
    )
}

fn van_der_pol(stiffness: f64) -> String {
    format!(
        "[state]\nx = {{ initial = {{ uniform = [-3.0, 3.0] }} }}\nv = {{ initial = {{ uniform = [-2.0, 2.0] }} }}\n\
         [motion]\nx = \"v\"\nv = \"{stiffness} (1 - x^2) v - x\"\n"
    )
}

/// Two rods of a metre with a kilogram at each end, without friction.
fn double_pendulum(start: &str, energy: &str) -> String {
    format!(
        "[state]\na = {{ angle = true, initial = {start} }}\nb = {{ angle = true, initial = 1.2 }}\n\
         a_rate = {{ initial = 0.0 }}\nb_rate = {{ initial = 0.0 }}\n\
         [define]\nd = \"a - b\"\nbelow = \"2 - cos(d)^2\"\n\
         total = \"a_rate^2 + 0.5 b_rate^2 + a_rate b_rate cos(d) - 2 g cos(a) - g cos(b)\"\n\
         [motion]\na = \"a_rate\"\nb = \"b_rate\"\n\
         a_rate = \"(g sin(b) cos(d) - sin(d) (a_rate^2 cos(d) + b_rate^2) - 2 g sin(a)) / below\"\n\
         b_rate = \"(2 (a_rate^2 sin(d) - g sin(b) + g sin(a) cos(d)) + b_rate^2 sin(d) cos(d)) / below\"\n\
         {energy}[output]\na = \"a\"\nb = \"b\"\nenergy = \"total\"\n"
    )
}

const LORENZ: &str = "[state]\nx = { initial = { uniform = [-10.0, 10.0] } }\ny = { initial = { uniform = [-10.0, 10.0] } }\n\
     z = { initial = { uniform = [10.0, 40.0] } }\n[motion]\nx = \"10 (y - x)\"\ny = \"x (28 - z) - y\"\n\
     z = \"x y - 8 z / 3\"\n";

const ROESSLER: &str = "[state]\nx = { initial = { uniform = [-5.0, 5.0] } }\ny = { initial = { uniform = [-5.0, 5.0] } }\n\
     z = { initial = 0.1 }\n[motion]\nx = \"-y - z\"\ny = \"x + 0.2 y\"\nz = \"0.2 + z (x - 5.7)\"\n";

const STOPPING_RIDE: &str = "[state]\nturn = { angle = true, initial = 0.0 }\nspeed = { initial = 0.0 }\n\
     clock = { initial = 5.0 }\n[motion]\nturn = \"speed\"\nspeed = \"-2 speed\"\nclock = -1.0\n\
     [modes]\nfirst = \"boarding\"\nboarding = {}\nrunning = { speed = \"0.8 (1.5 - speed)\" }\n\
     braking = { speed = \"-0.8 speed\" }\n\
     [[switch]]\nfrom = \"boarding\"\nto = \"running\"\nwhen = \"clock <= 0\"\nreset = { clock = 20.0 }\n\
     [[switch]]\nfrom = \"running\"\nto = \"braking\"\nwhen = \"clock <= 0\"\nreset = { clock = 6.0 }\n\
     [[switch]]\nfrom = \"braking\"\nto = \"boarding\"\nwhen = \"clock <= 0\"\nreset = { clock = { uniform = [6.0, 14.0] } }\n";

const STOPPING_CLOCKWORK: &str = "[state]\nturn = { angle = true, initial = 0.0 }\nspeed = { initial = 0.0 }\n\
     clock = { initial = { uniform = [0.5, 8.0] } }\n[motion]\nturn = \"speed\"\nspeed = \"-2 speed\"\nclock = -1.0\n\
     [modes]\nfirst = \"boarding\"\nboarding = {}\nrunning = { speed = \"0.8 (1.5 - speed)\" }\n\
     [[switch]]\nfrom = \"boarding\"\nto = \"running\"\nwhen = \"clock <= 0\"\nreset = { clock = 20.0 }\n\
     [[switch]]\nfrom = \"running\"\nto = \"boarding\"\nwhen = \"clock <= 0\"\nreset = { clock = 8.0 }\n";

fn ball(when: &str) -> String {
    format!(
        "[state]\nheight = {{ initial = {{ uniform = [1.0, 2.0] }} }}\nspeed = {{ initial = 0.0 }}\n\
         [motion]\nheight = \"speed\"\nspeed = \"-g\"\n[modes]\nfirst = \"fly\"\nfly = {{}}\n\
         [[switch]]\nfrom = \"fly\"\nto = \"fly\"\nwhen = \"{when}\"\nreset = {{ speed = \"-0.8 speed\" }}\n"
    )
}

const CHAIN: &str = "[state]\na = { initial = { uniform = [-1.0, 1.0] } }\nb = { initial = { uniform = [-1.0, 1.0] } }\n\
     c = { initial = { uniform = [-1.0, 1.0] } }\na_v = { initial = 0.0 }\nb_v = { initial = 0.0 }\nc_v = { initial = 0.0 }\n\
     [motion]\na = \"a_v\"\nb = \"b_v\"\nc = \"c_v\"\na_v = \"b - 2 a - 0.4 a_v\"\nb_v = \"a + c - 2 b - 0.4 b_v\"\n\
     c_v = \"b - 2 c - 0.4 c_v\"\n";

const THERMOSTAT: &str = "[state]\nroom = { initial = { uniform = [16.0, 24.0] } }\n[motion]\nroom = \"0.1 (10 - room)\"\n\
     [modes]\nfirst = \"off\"\noff = {}\nheating = { room = \"0.1 (10 - room) + 2\" }\n\
     [[switch]]\nfrom = \"off\"\nto = \"heating\"\nwhen = \"room <= 19\"\n\
     [[switch]]\nfrom = \"heating\"\nto = \"off\"\nwhen = \"room >= 21\"\n";

fn light() -> String {
    let modes = ["red", "ready", "green", "blinking", "yellow"];
    // Seconds of each, exactly or from and to.
    let lasts = ["{ uniform = [15.0, 45.0] }", "2.0", "{ uniform = [12.0, 30.0] }", "4.0", "3.0"];
    let mut text = "[state]\nleft = { initial = 20.0 }\n[motion]\nleft = -1.0\n[modes]\nfirst = \"red\"\n".to_owned();
    for mode in modes {
        text += &format!("{mode} = {{}}\n");
    }
    for (index, mode) in modes.iter().enumerate() {
        let next = (index + 1) % modes.len();
        text += &format!(
            "[[switch]]\nfrom = \"{mode}\"\nto = \"{}\"\nwhen = \"left <= 0\"\nreset = {{ left = {} }}\n",
            modes[next], lasts[next]
        );
    }
    text
}

fn predator_and_prey(start: &str) -> String {
    format!(
        "[state]\nprey = {{ initial = {start} }}\npredator = {{ initial = 1.0 }}\n[motion]\nprey = \"prey - 0.8 prey predator\"\n\
         predator = \"0.6 prey predator - 0.9 predator\"\n\
         [output]\nprey = \"prey\"\npredator = \"predator\"\nenergy = \"0.6 prey - 0.9 log(prey) + 0.8 predator - log(predator)\"\n"
    )
}

const BLINKER: &str = "[state]\nleft = { initial = 5.0 }\nlamp = { initial = 0.0 }\n[motion]\nleft = -1.0\n\
     lamp = \"3 (if(green, 1, 0) - lamp)\"\n[modes]\nfirst = \"red\"\nred = {}\ngreen = {}\n\
     [[switch]]\nfrom = \"red\"\nto = \"green\"\nwhen = \"left <= 0\"\nreset = { left = { uniform = [3.0, 9.0] } }\n\
     [[switch]]\nfrom = \"green\"\nto = \"red\"\nwhen = \"left <= 0\"\nreset = { left = { uniform = [3.0, 9.0] } }\n";

/// All of them: first those that must be right.
pub(crate) fn textbook() -> Vec<Stranger> {
    let period = "[forcing]\nperiod = \"2 pi / 1.2\"\n";
    let spread = "{ uniform = [-1.5, 1.5] }";
    let energy = "[energy]\nvalue = \"total\"\nspeed = [\"a_rate\", \"b_rate\"]\n";
    vec![
        Stranger::of("Duffing", None, &duffing(spread, period)).must(),
        Stranger::of("Duffing, one start", None, &duffing("1.0", period)).must(),
        Stranger::of("driven pendulum, periodic", None, &driven_pendulum(0.9)).must(),
        Stranger::of("driven pendulum, chaotic", None, &driven_pendulum(1.15)).must(),
        Stranger::of("van der Pol", None, &van_der_pol(1.5)).must(),
        Stranger::of("Lorenz", None, LORENZ).must(),
        Stranger::of("Rössler", Some(0.1), ROESSLER).must(),
        Stranger::of("stopping ride", Some(0.5), STOPPING_RIDE).must(),
        Stranger::of("bouncing ball", Some(0.05), &ball("height <= 0 and speed < 0")).must(),
        Stranger::of("damped chain", None, CHAIN).must(),
        Stranger::of("thermostat", Some(0.3), THERMOSTAT).must(),
        Stranger::of("five-mode light", Some(1.0), &light()).must(),
        Stranger::of("predator and prey", Some(0.2), &predator_and_prey("2.0")).must(),
        Stranger::of("stiff oscillator", None, &van_der_pol(20.0)).must(),
        Stranger::of("double pendulum, energy given", Some(0.05), &double_pendulum("1.6", energy)).must(),
        Stranger::of("double pendulum, energy not given", Some(0.05), &double_pendulum("1.6", "")),
        Stranger::of("double pendulums of all energies", Some(0.05), &double_pendulum("{ uniform = [0.2, 2.8] }", "")),
        Stranger::of("Duffing, no period given", None, &duffing(spread, "")),
        Stranger::of("Duffing, wrong period", None, &duffing(spread, "[forcing]\nperiod = 3.0\n")).wrong(),
        Stranger::of("stopping clockwork", Some(0.5), STOPPING_CLOCKWORK),
        Stranger::of("bouncing ball, simple condition", Some(0.05), &ball("height <= 0")),
        Stranger::of("blinker", Some(0.5), BLINKER),
        Stranger::of("all predators and prey", Some(0.2), &predator_and_prey("{ uniform = [1.6, 4.0] }")),
        Stranger::of(
            "two drives",
            None,
            "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\n\
             v = \"-x - 0.2 v + 0.4 cos(t) + 0.3 cos(1.41421356 t)\"\n",
        ),
        Stranger::of(
            "double well",
            None,
            "[state]\nx = { initial = { uniform = [-2.0, 2.0] } }\nv = { initial = { uniform = [-1.0, 1.0] } }\n\
             [motion]\nx = \"v\"\nv = \"x - x^3 - 0.25 v\"\n",
        ),
        Stranger::of(
            "damped pendulum",
            None,
            "[state]\nangle = { angle = true, initial = { uniform = [-3.0, 3.0] } }\nrate = { initial = 0.0 }\n\
             [motion]\nangle = \"rate\"\nrate = \"-g sin(angle) - 0.3 rate\"\n",
        ),
        Stranger::of(
            "spring without friction",
            Some(0.1),
            "[state]\nx = { initial = 1.0 }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\nv = \"-4 x\"\n",
        ),
        Stranger::of(
            "Brusselator",
            None,
            "[state]\nx = { initial = { uniform = [0.5, 2.0] } }\ny = { initial = { uniform = [1.0, 3.0] } }\n\
             [motion]\nx = \"1 + x^2 y - 4 x\"\ny = \"3 x - x^2 y\"\n",
        ),
        Stranger::of(
            "FitzHugh and Nagumo",
            None,
            "[state]\nv = { initial = { uniform = [-2.0, 2.0] } }\nw = { initial = 0.0 }\n[motion]\n\
             v = \"v - v^3 / 3 - w + 0.5\"\nw = \"0.08 (v + 0.7 - 0.8 w)\"\n",
        ),
        Stranger::of(
            "ramp",
            None,
            "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\n[motion]\nx = \"0.1 t - x\"\n",
        ),
    ]
}
