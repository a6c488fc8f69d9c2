//! Values as they stand in source text.

/// A value, in no language yet.
pub(super) enum Literal<'a> {
    Nothing,
    /// A value that may be nothing, and is not.
    Just(Box<Literal<'a>>),
    Flag(bool),
    Whole(u64),
    Number(f64),
    Text(&'a str),
    /// The name of a function.
    Name(String),
    /// As many values as the type says.
    Array(Vec<Literal<'a>>),
    /// Any number of values.
    List(Vec<Literal<'a>>),
    /// A type, or a variant of one, and its fields.
    Record(&'static str, Vec<(&'static str, Literal<'a>)>),
    /// Tables of numbers of one size.
    Floats(&'a [f32]),
    Words(&'a [u32]),
    Shorts(&'a [u16]),
    Bytes(&'a [u8]),
}

impl<'a> Literal<'a> {
    /// The value, or nothing.
    pub(super) fn perhaps(value: Option<Literal<'a>>) -> Self {
        value.map_or(Literal::Nothing, |value| Literal::Just(Box::new(value)))
    }

    pub(super) fn numbers(all: &[f64]) -> Self {
        Literal::List(all.iter().map(|value| Literal::Number(*value)).collect())
    }
}
