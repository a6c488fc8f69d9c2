//! From plain data to the text of a scene file.

use std::fmt::{Display, Formatter, Result, Write as _};

use super::{
    At, ComponentFile, DensityFile, JointFile, MaterialFile, MeshUse, MovesFile, Number, NumberFile, OrientationFile,
    PartFile, PushFile, RegionFile, RepeatFile, RoundFile, SceneFile, ShapeFile, SolidFile, SpinFile,
    TruncatedNormalFile, Vector, VelocityFile, ZoneFile, joint, want,
};

/// The text of a scene file that reads as this scene.
pub(crate) fn write(scene: &SceneFile) -> String {
    let mut lines = Lines::default();
    lines.add("format", "1");
    lines.maybe("name", scene.name.as_ref().map(|name| quoted(&name.value)));
    lines.maybe("duration", scene.duration.as_ref().map(|duration| plain(duration.value)));
    lines.maybe("gravity", scene.gravity.as_ref().map(vector));
    lines.maybe("tolerance", scene.tolerance.as_ref().map(|tolerance| plain(tolerance.value)));
    if !scene.variables.is_empty() {
        lines.section("[variables]");
        for (name, density) in &scene.variables {
            lines.add(&key(&name.value), component(&density.value));
        }
    }
    for (name, material) in &scene.materials {
        lines.section(&format!("[materials.{}]", key(&name.value)));
        lines.material(material);
    }
    for pair in &scene.pairs {
        lines.section("[[pair]]");
        let [a, b] = &pair.materials.value;
        lines.add("materials", format!("[{}, {}]", quoted(&a.value), quoted(&b.value)));
        lines.maybe("restitution", pair.restitution.as_ref().map(number));
        lines.maybe("friction", pair.friction.as_ref().map(number));
        lines.maybe("rolling", pair.rolling.as_ref().map(number));
    }
    for collision in &scene.collisions {
        lines.section("[[collision]]");
        let [a, b] = &collision.bodies.value;
        lines.add("bodies", format!("[{}, {}]", quoted(&a.value), quoted(&b.value)));
        lines.add("count", collision.count.value.to_string());
        let row = |lean: &At<[Number; 2]>| bracketed(lean.value.iter().map(number));
        lines.maybe("lean", collision.lean.as_ref().map(row));
        lines.maybe("restitution", collision.restitution.as_ref().map(number));
        lines.maybe("friction", collision.friction.as_ref().map(number));
    }
    for body in &scene.bodies {
        lines.section("[[body]]");
        lines.add("name", quoted(&body.name.value));
        lines.maybe("fixed", body.fixed.then_some("true"));
        lines.maybe("resting", body.resting.then_some("true"));
        lines.maybe("hidden", body.hidden.then_some("true"));
        lines.maybe("pips", body.pips.then_some("true"));
        lines.add("shape", shape(&body.shape.value));
        lines.maybe("material", body.material.as_ref().map(|material| quoted(&material.value)));
        lines.maybe("colour", body.colour.as_ref().map(|colour| quoted(&colour.value)));
        lines.maybe("position", body.position.as_ref().map(vector));
        lines.maybe("orientation", body.orientation.as_ref().map(|turn| orientation(&turn.value)));
        lines.maybe("velocity", body.velocity.as_ref().map(|velocity| pace(&velocity.value)));
        lines.maybe("spin", body.spin.as_ref().map(|spin| turning(&spin.value)));
        lines.maybe("start", body.start.as_ref().map(number));
        lines.maybe("takes_part", body.takes_part.as_ref().map(|chance| plain(chance.value)));
        lines.maybe("mass_at_most", body.mass_at_most.as_ref().map(|mass| plain(mass.value)));
        lines.maybe("zones", (!body.zones.is_empty()).then(|| zones(&body.zones)));
        lines.maybe("pushes", (!body.pushes.is_empty()).then(|| pushes(&body.pushes)));
        lines.maybe("moves", body.moves.as_ref().map(|moves| told(&moves.value)));
        lines.maybe("repeat", body.repeat.as_ref().map(|repeat| copies(&repeat.value)));
    }
    scene.joints.iter().for_each(|held| lines.joint(held));
    if !scene.groups.is_empty() {
        lines.section("[groups]");
        for (name, bodies) in &scene.groups {
            lines.add(&key(&name.value), bracketed(bodies.value.iter().map(|body| quoted(body))));
        }
    }
    for camera in &scene.cameras {
        lines.section("[[camera]]");
        for (key, value) in want::camera_lines(camera) {
            lines.add(key, value);
        }
    }
    for want in &scene.wants {
        lines.section("[[want]]");
        for (key, value) in want::lines(want) {
            lines.add(key, value);
        }
    }
    lines.text
}

/// The text so far.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, key: &str, value: impl Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{key} = {value}");
    }

    fn maybe(&mut self, key: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.add(key, value);
        }
    }

    fn section(&mut self, header: &str) {
        let _ = writeln!(self.text, "\n{header}");
    }

    fn joint(&mut self, joint: &JointFile) {
        self.section("[[joint]]");
        for (key, value) in joint::lines(joint) {
            self.add(key, value);
        }
    }

    fn material(&mut self, material: &MaterialFile) {
        self.maybe("density", material.density.as_ref().map(number));
        self.maybe("restitution", material.restitution.as_ref().map(number));
        self.maybe("friction", material.friction.as_ref().map(number));
        self.maybe("rolling", material.rolling.as_ref().map(number));
        self.maybe("colour", material.colour.as_ref().map(|colour| quoted(&colour.value)));
        self.maybe("roughness", material.roughness.as_ref().map(|roughness| plain(roughness.value)));
        self.maybe("metallic", material.metallic.as_ref().map(|metallic| plain(metallic.value)));
    }
}

/// A number in the fewest digits that read as the same number.
pub(super) fn plain(value: f64) -> String {
    format!("{value:?}")
}

pub(super) fn row(values: &[f64]) -> String {
    bracketed(values.iter().map(|value| plain(*value)))
}

pub(super) fn bracketed(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

/// A basic string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A key, bare where it can be.
pub(crate) fn key(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !text.is_empty() && text.chars().all(bare) { text.to_string() } else { quoted(text) }
}

pub(super) fn number(number: &Number) -> String {
    match &number.value {
        NumberFile::Value(value) => plain(*value),
        NumberFile::Variable(name) => quoted(name),
        NumberFile::Density(density) => density.to_string(),
    }
}

pub(super) fn vector(vector: &Vector) -> String {
    bracketed(vector.value.iter().map(number))
}

fn component(component: &ComponentFile) -> String {
    match component {
        ComponentFile::Value(value) => plain(*value),
        ComponentFile::Density(density) => density.to_string(),
    }
}

impl Display for DensityFile {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let (family, inner) = match self {
            Self::Constant(value) => ("constant", plain(*value)),
            Self::Normal(values) => ("normal", row(values)),
            Self::Uniform(values) => ("uniform", row(values)),
            Self::Exponential(mean) => ("exponential", plain(*mean)),
            Self::LogNormal(values) => ("log_normal", row(values)),
            Self::TruncatedNormal(TruncatedNormalFile::Row(values)) => ("truncated_normal", row(values)),
            Self::TruncatedNormal(TruncatedNormalFile::Named { mean, standard_deviation, low, high }) => {
                let mut text = format!("{{ mean = {mean:?}, standard_deviation = {standard_deviation:?}");
                for (name, end) in [("low", low), ("high", high)] {
                    if let Some(end) = end {
                        let _ = write!(text, ", {name} = {end:?}");
                    }
                }
                ("truncated_normal", text + " }")
            }
            Self::Discrete(discrete) => {
                let weights = discrete.weights.as_ref().map(|weights| format!(", weights = {}", row(weights)));
                let text = format!("{{ values = {}{} }}", row(&discrete.values), weights.unwrap_or_default());
                ("discrete", text)
            }
            Self::Mixture(parts) => {
                let pairs = parts.iter().map(|(weight, part)| format!("[{weight:?}, {}]", component(part)));
                ("mixture", bracketed(pairs))
            }
        };
        write!(formatter, "{{ {family} = {inner} }}")
    }
}

pub(super) fn orientation(orientation: &OrientationFile) -> String {
    match orientation {
        OrientationFile::Uniform(_) => "\"uniform\"".to_string(),
        OrientationFile::Axis { axis, degrees } => {
            format!("{{ axis = {}, degrees = {} }}", vector(axis), number(degrees))
        }
        OrientationFile::Euler { euler_degrees } => format!("{{ euler_degrees = {} }}", vector(euler_degrees)),
        OrientationFile::Quaternion(row) => bracketed(row.iter().map(number)),
    }
}

fn pace(velocity: &VelocityFile) -> String {
    match velocity {
        VelocityFile::Components(components) => vector(components),
        VelocityFile::Polar { speed, heading, rise } => {
            let mut text = format!("{{ speed = {}", number(speed));
            for (name, angle) in [("heading", heading), ("rise", rise)] {
                if let Some(angle) = angle {
                    let _ = write!(text, ", {name} = {}", number(angle));
                }
            }
            text + " }"
        }
    }
}

fn turning(spin: &SpinFile) -> String {
    match spin {
        SpinFile::Components(components) => vector(components),
        SpinFile::Each(each) => number(each),
    }
}

fn copies(repeat: &RepeatFile) -> String {
    match repeat {
        RepeatFile::Row { count, offset, interval } => {
            let offset = offset.as_ref().map(|offset| format!(", offset = {}", row(&offset.value)));
            let interval = interval.as_ref().map(|interval| format!(", interval = {}", plain(interval.value)));
            format!("{{ count = {}{}{} }}", count.value, offset.unwrap_or_default(), interval.unwrap_or_default())
        }
        RepeatFile::Grid { grid, spacing } => {
            let grid = bracketed(grid.value.iter().map(ToString::to_string));
            format!("{{ grid = {grid}, spacing = {} }}", row(&spacing.value))
        }
    }
}

fn shape(shape: &ShapeFile) -> String {
    match shape {
        ShapeFile::Solid(solid) => solid_shape(solid),
        ShapeFile::Compound { compound } => {
            let parts: Vec<String> = compound.iter().map(|part| format!("  {},\n", compound_part(part))).collect();
            format!("{{ compound = [\n{}] }}", parts.concat())
        }
        ShapeFile::HalfSpace { half_space } => format!("{{ half_space = {} }}", vector(half_space)),
        ShapeFile::Mesh(mesh) => {
            let usage = match mesh.usage.value {
                MeshUse::Hull => "",
                MeshUse::Decomposition => ", use = \"decomposition\"",
                MeshUse::Triangles => ", use = \"triangles\"",
            };
            let scale = mesh.scale.as_ref().map(|scale| format!(", scale = {}", number(scale)));
            format!("{{ mesh = {}{usage}{} }}", quoted(&mesh.path.value), scale.unwrap_or_default())
        }
        ShapeFile::Triangles { triangles } => {
            let vertices: String = triangles.vertices.iter().map(|v| format!("  {},\n", vector(v))).collect();
            let faces = triangles.faces.value.iter().map(|[a, b, c]| format!("[{a}, {b}, {c}]"));
            format!("{{ triangles = {{ vertices = [\n{vertices}], faces = {} }} }}", bracketed(faces))
        }
        ShapeFile::SplineField { spline_field: field } => {
            let (size, spacing) = (row(&field.size.value), plain(field.spacing.value));
            let mut more = format!("height = {}", number(&field.height));
            for (key, value) in [("friction", &field.friction), ("restitution", &field.restitution)] {
                more += &value.as_ref().map(|value| format!(", {key} = {}", number(value))).unwrap_or_default();
            }
            format!("{{ spline_field = {{ size = {size}, spacing = {spacing}, {more} }} }}")
        }
    }
}

fn solid_shape(solid: &SolidFile) -> String {
    match solid {
        SolidFile::Sphere { sphere } => format!("{{ sphere = {} }}", number(sphere)),
        SolidFile::Box { edges, rounding } => {
            let rounding = rounding.as_ref().map(|rounding| format!(", rounding = {}", number(rounding)));
            format!("{{ box = {}{} }}", vector(edges), rounding.unwrap_or_default())
        }
        SolidFile::Capsule { capsule } => format!("{{ capsule = {} }}", round(capsule)),
        SolidFile::Cylinder { cylinder } => format!("{{ cylinder = {} }}", round(cylinder)),
        SolidFile::Turned { turned } => {
            let rings = turned.value.iter().map(|ring| bracketed(ring.value.iter().map(number)));
            format!("{{ turned = {} }}", bracketed(rings))
        }
        SolidFile::Hull { hull } => format!("{{ hull = {} }}", bracketed(hull.value.iter().map(vector))),
        SolidFile::Icosahedron { icosahedron } => format!("{{ icosahedron = {} }}", number(icosahedron)),
    }
}

fn zones(zones: &[ZoneFile]) -> String {
    let zone = |zone: &ZoneFile| {
        let shape = match &zone.shape.value {
            RegionFile::Sphere { sphere } => format!("{{ sphere = {} }}", number(sphere)),
            RegionFile::Box { edges } => format!("{{ box = {} }}", vector(edges)),
        };
        let position = zone.position.as_ref().map(|position| format!(", position = {}", vector(position)));
        let material = quoted(&zone.material.value);
        format!("  {{ shape = {shape}{}, material = {material} }},\n", position.unwrap_or_default())
    };
    format!("[\n{}]", zones.iter().map(zone).collect::<String>())
}

fn pushes(pushes: &[PushFile]) -> String {
    let push = |push: &PushFile| format!("  {{ at = {}, impulse = {} }},\n", number(&push.at), vector(&push.impulse));
    format!("[\n{}]", pushes.iter().map(push).collect::<String>())
}

fn told(moves: &MovesFile) -> String {
    let parts = [
        moves.position.as_ref().map(|position| format!("position = {}", vector(position))),
        moves.axis.as_ref().map(|axis| format!("axis = {}", bracketed(axis.value.iter().map(|part| plain(*part))))),
        moves.degrees.as_ref().map(|degrees| format!("degrees = {}", number(degrees))),
    ];
    format!("{{ {} }}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn round(round: &RoundFile) -> String {
    format!("{{ radius = {}, height = {} }}", number(&round.radius), number(&round.height))
}

fn compound_part(part: &PartFile) -> String {
    let position = part.position.as_ref().map(|position| format!(", position = {}", vector(position)));
    let turn = part.orientation.as_ref().map(|turn| format!(", orientation = {}", orientation(&turn.value)));
    format!(
        "{{ shape = {}{}{} }}",
        solid_shape(&part.shape.value),
        position.unwrap_or_default(),
        turn.unwrap_or_default()
    )
}
