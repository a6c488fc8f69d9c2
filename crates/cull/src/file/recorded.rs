//! What a file says about a motion that was recorded.

use std::sync::Arc;

use proscenium_expression::{Binding, Names};
use proscenium_work::{Completion, Progress};

use crate::error::{CullError, ModelErrors};
use crate::model::{FIRST_VARIABLE, Model};
use crate::recorded::{Channel, RecordedMotion, Recording};
use crate::system::Variable;

use super::table::Reader;

impl Model {
    /// Reads what a file says about a recorded motion: what it is called, its outputs,
    /// copies and parts. `t`, parameters and the channels have names.
    pub(crate) fn parse_recorded(name: &str, text: &str, recorded: RecordedMotion) -> Result<Self, ModelErrors> {
        Self::read(name, text, Some(Arc::new(recorded)))
    }

    /// A model whose motion was recorded: `text` is a model file without equations, in which
    /// channels stand for state variables; `name` is what messages call it.
    ///
    /// ```
    /// use proscenium_cull::recorded::Recording;
    /// use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed};
    /// use proscenium_work::Progress;
    ///
    /// // A lamp that swings, seen twenty times a second for ten rounds.
    /// let mut table = String::from("time,lamp\n");
    /// for index in 0..400 {
    ///     let time = f64::from(index) / 20.0;
    ///     table += &format!("{time},{}\n", 0.3 * (std::f64::consts::PI * time).sin());
    /// }
    /// let recording = Recording::from_csv(&table)?;
    /// let lamp = Model::recorded("lamp", "format = 1", &recording, &Progress::none())?;
    /// let lamp = lamp.finished().expect("nobody stops it");
    /// let lamp = CompiledModel::compile(lamp, &CompileSettings::quick(), Seed(1), &Progress::none())?;
    /// let lamp = lamp.finished().expect("nobody stops it");
    /// assert!((lamp.learned().period().expect("it comes around") - 2.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the file is wrong, or too little of the motion was recorded.
    pub fn recorded(
        name: &str,
        text: &str,
        recording: &Recording,
        progress: &Progress,
    ) -> Result<Completion<Self>, CullError> {
        // What is wrong with the file is told before anybody waits.
        let cells = Self::parse_recorded(name, text, RecordedMotion::unjoined(recording))?.settings.cells_per_variable;
        match RecordedMotion::build(recording, cells, progress)? {
            Completion::Finished(recorded) => Ok(Completion::Finished(Self::parse_recorded(name, text, recorded)?)),
            Completion::Stopped => Ok(Completion::Stopped),
        }
    }
}

impl Reader<'_> {
    /// The channels of a recorded motion, which stand where state variables would.
    pub(super) fn channels(&mut self, recorded: &RecordedMotion, names: &mut Names) -> Vec<Variable> {
        let variables: Vec<Variable> = recorded.channels.iter().map(Channel::variable).collect();
        for (index, variable) in variables.iter().enumerate() {
            self.bind(names, &variable.name, 0..0, "channel", Binding::Input(FIRST_VARIABLE + index as u16));
        }
        variables
    }
}
