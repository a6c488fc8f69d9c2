//! What else a transition must obey.

/// A constraint beside non-penetration: a boolean about the shapes of some
/// groups, at every moment of a transition (section 3.4).
///
/// ```
/// use proscenium_ensemble::transition::Rule;
///
/// /// A leaf that stays above the ground.
/// struct AboveGround([usize; 1]);
///
/// impl Rule for AboveGround {
///     fn name(&self) -> &str { "above the ground" }
///     fn groups(&self) -> &[usize] { &self.0 }
///     fn holds(&self, shapes: &[&[[f32; 3]]]) -> bool {
///         shapes[0].iter().all(|vertex| vertex[1] > 0.0)
///     }
/// }
/// assert!(AboveGround([3]).holds(&[&[[0.0, 1.0, 0.0]]]));
/// ```
pub trait Rule: Sync {
    /// What it is called.
    fn name(&self) -> &str;
    /// The groups that it is about.
    fn groups(&self) -> &[usize];
    /// Whether it holds when those groups have these vertices, in the world.
    fn holds(&self, shapes: &[&[[f32; 3]]]) -> bool;
}
