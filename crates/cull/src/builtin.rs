//! The models that come with the engine: the seven rides of the dissertation's
//! experiments (Chenney 2000, table 5.1), and a traffic light. Their texts are those
//! of the folder `models/`.

use crate::error::ModelErrors;
use crate::model::Model;

/// A model that comes with the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name of its file.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

/// All of them, in the order in which a fairground puts them up.
pub const MODELS: [Builtin; 8] = [
    Builtin { name: "roller-coaster", text: include_str!("../../../models/roller-coaster.toml") },
    Builtin { name: "tilt-a-whirl", text: include_str!("../../../models/tilt-a-whirl.toml") },
    Builtin { name: "octopus", text: include_str!("../../../models/octopus.toml") },
    Builtin { name: "dive-bomber", text: include_str!("../../../models/dive-bomber.toml") },
    Builtin { name: "ship", text: include_str!("../../../models/ship.toml") },
    Builtin { name: "pendulum", text: include_str!("../../../models/pendulum.toml") },
    Builtin { name: "pendulum-long", text: include_str!("../../../models/pendulum-long.toml") },
    Builtin { name: "traffic-light", text: include_str!("../../../models/traffic-light.toml") },
];

impl Builtin {
    /// The model with the name of a file of `models/`, if there is one.
    ///
    /// ```
    /// use proscenium_cull::builtin::Builtin;
    ///
    /// let ship = Builtin::find("ship").expect("it comes with the engine").model()?;
    /// assert_eq!(ship.copies().len(), 1);
    /// # Ok::<(), proscenium_cull::ModelErrors>(())
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        MODELS.into_iter().find(|model| model.name == name)
    }

    /// Reads its file.
    ///
    /// # Errors
    /// Never for those that come with the engine: a test reads them all.
    pub fn model(&self) -> Result<Model, ModelErrors> {
        Model::parse(self.name, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_a_model_that_can_be_seen() {
        for builtin in MODELS {
            let model = builtin.model().unwrap();
            assert!(!model.parts().is_empty(), "{}", builtin.name);
            assert_eq!(Builtin::find(builtin.name), Some(builtin));
        }
    }
}
