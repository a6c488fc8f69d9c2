//! A page that shows a model at work: the module, its parts, and a small painter,
//! in one file that needs nothing else.

use std::fmt::Write as _;

use crate::compiled::CompiledModel;
use crate::error::CullError;
use crate::geometry::{Part, Solid};

use super::javascript::{JavaScript, quoted};
use super::{Dialect as _, Literal, tapes};

/// What shows it: a painter, and a button to look away.
const PAINTER: &str = include_str!("painter.js");
const STYLE: &str = include_str!("painter.css");

impl CompiledModel {
    /// A page without dependencies on which the system runs, is looked at from
    /// all sides, and can be looked away from.
    ///
    /// # Errors
    /// As [`to_javascript`](CompiledModel::to_javascript).
    pub fn to_page(&self) -> Result<String, CullError> {
        let title: String = self.model.name.chars().filter(|letter| !letter.is_control()).collect();
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        // A name that ends the script would end the page.
        let script = format!("{}\n{}\n{PAINTER}", self.to_javascript()?, self.placements()).replace("</", "<\\/");
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n<canvas tabindex=\"0\" aria-label=\"The ride\"></canvas>\n\
             <p><strong>{title}</strong> <span role=\"status\"></span> <button>Look away</button></p>\n\
             <script type=\"module\">\n{script}</script>\n</html>\n"
        ))
    }

    /// The parts as data, each with a function of the outputs and the number of
    /// a copy: where it is moved, its axis, and the angle.
    fn placements(&self) -> String {
        let mut text = String::from("const PARTS = [\n");
        for part in &self.model.parts {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {},", self.placement(part));
        }
        let number = |value: f64| JavaScript.number(value);
        let corner = |at: glam::DVec3| format!("[{}, {}, {}]", number(at.x), number(at.y), number(at.z));
        let _ = writeln!(text, "];\nconst BOUNDS = [{}, {}];", corner(self.bounds.min), corner(self.bounds.max));
        text
    }

    fn placement(&self, part: &Part) -> String {
        let count = self.model.outputs.len();
        let input = |input: u16| if usize::from(input) < count { format!("shown[{input}]") } else { "k".to_owned() };
        let body = tapes::named(&JavaScript, &part.placement, &input);
        let results: Vec<String> = part.placement.results.iter().map(|slot| format!("v{slot}")).collect();
        let parent = part.parent.map_or(Literal::Nothing, |parent| Literal::Whole(parent as u64));
        let half = part.solid.map_or("null".to_owned(), |solid| {
            let half = solid.half_sides();
            format!("[{}]", half.to_array().map(|side| JavaScript.number(side)).join(", "))
        });
        let mesh = part.mesh.as_ref().map_or("null".to_owned(), |mesh| {
            let corners = |of: &[u32; 3]| format!("[{}, {}, {}]", of[0], of[1], of[2]);
            let position = |of: &[f32; 3]| format!("[{:?}, {:?}, {:?}]", of[0], of[1], of[2]);
            let positions: Vec<String> = mesh.positions().iter().map(position).collect();
            let triangles: Vec<String> = mesh.triangles().iter().map(corners).collect();
            format!("{{ positions: [{}], triangles: [{}] }}", positions.join(", "), triangles.join(", "))
        });
        let is_ball = matches!(part.solid, Some(Solid::Ball(_)));
        let colour = part.colour.map(|share| (share * 255.0).round().to_string()).join(", ");
        format!(
            "{{ name: {}, parent: {}, each: {}, half: {half}, isBall: {is_ball}, mesh: {mesh}, colour: [{colour}],\n    \
             place(shown, k) {{\n{body}      return [{}];\n    }} }}",
            quoted(&part.name),
            JavaScript.literal(&parent),
            part.each,
            results.join(", "),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileSettings, Model, Seed};
    use proscenium_work::Progress;

    #[test]
    fn a_page_has_its_parts_and_no_way_out_of_its_script() {
        let text = "format = 1\nname = \"</script> & co\"\n[state]\nx = { initial = 1.0 }\nv = { initial = 0.0 }\n\
                    [motion]\nx = \"v\"\nv = \"-x\"\n[output]\nx = \"x\"\n[[part]]\nname = \"bob\"\n\
                    move = [\"2 x\", 0, 0]\nball = 0.25\n";
        let model = Model::parse("test", text).unwrap();
        let culled = CompiledModel::compile(model, &CompileSettings::quick(), Seed(1), &Progress::none()).unwrap();
        let culled = culled.finished().unwrap();
        let page = culled.to_page().unwrap();
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(page.contains("<title>&lt;/script> &amp; co</title>"));
        assert!(page.contains("name: \"bob\"") && page.contains("isBall: true") && page.contains("shown[0]"));
    }
}
