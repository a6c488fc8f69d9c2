//! Which bodies hang together.

/// Bodies in groups that touch each other, by repeated joining.
///
/// ```
/// use proscenium_bodies::contact::Islands;
///
/// let mut islands = Islands::new(4);
/// islands.join(3, 1);
/// assert_eq!((islands.of(1), islands.of(3)), (1, 1));
/// assert_eq!(islands.of(2), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Islands {
    parents: Vec<u32>,
}

impl Islands {
    /// So many bodies, each by itself.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Puts the islands of two bodies together.
    ///
    /// # Panics
    /// When there is no such body.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        // The lowest number stands for all, whatever the order of joining.
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The lowest body of an island.
    ///
    /// # Panics
    /// When there is no such body.
    pub fn of(&mut self, body: u32) -> u32 {
        let mut at = body;
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }
}
