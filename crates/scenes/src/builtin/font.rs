//! A small font of our own: capitals of three or of five rows.

/// How many rows the letters of a font have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Height {
    Three,
    Five,
}

/// A word as cells of a grid, with an empty margin of one cell around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lettering {
    pub columns: usize,
    pub rows: usize,
    /// Columns and rows of the cells that are part of a letter, row by row.
    pub filled: Vec<[usize; 2]>,
}

impl Height {
    fn rows(self) -> usize {
        match self {
            Self::Three => 3,
            Self::Five => 5,
        }
    }

    /// The rows of a letter, from the top.
    fn letter(self, letter: char) -> Option<&'static str> {
        let (_, three, five) = LETTERS.iter().find(|(known, ..)| *known == letter.to_ascii_uppercase())?;
        Some(match self {
            Self::Three => three,
            Self::Five => five,
        })
    }
}

/// Writes a word; the first character that the font does not have is the error.
pub(super) fn lettering(word: &str, height: Height) -> Result<Lettering, char> {
    let rows = height.rows() + 2;
    let mut filled = Vec::new();
    let mut column = 1;
    for character in word.chars() {
        let letter = height.letter(character).ok_or(character)?;
        for (row, line) in letter.split('/').enumerate() {
            let cells = line.bytes().enumerate().filter(|(_, cell)| *cell == b'#');
            filled.extend(cells.map(|(along, _)| [column + along, row + 1]));
        }
        column += letter.split('/').next().map_or(0, str::len) + 1;
    }
    filled.sort_unstable_by_key(|[column, row]| (*row, *column));
    Ok(Lettering { columns: column.max(2), rows, filled })
}

/// Each letter with three rows and with five.
const LETTERS: [(char, &str, &str); 27] = [
    ('A', ".#./###/#.#", ".#./#.#/###/#.#/#.#"),
    ('B', "##./###/###", "##./#.#/##./#.#/##."),
    ('C', "###/#../###", ".##/#../#../#../.##"),
    ('D', "##./#.#/##.", "##./#.#/#.#/#.#/##."),
    ('E', "###/##./###", "###/#../##./#../###"),
    ('F', "###/##./#..", "###/#../##./#../#.."),
    ('G', "##./#.#/###", ".##/#../#.#/#.#/.##"),
    ('H', "#.#/###/#.#", "#.#/#.#/###/#.#/#.#"),
    ('I', "#/#/#", "#/#/#/#/#"),
    ('J', "..#/#.#/###", "..#/..#/..#/#.#/.#."),
    ('K', "#.#/##./#.#", "#.#/#.#/##./#.#/#.#"),
    ('L', "#../#../###", "#../#../#../#../###"),
    ('M', "#.#.#/##.##/#...#", "#...#/##.##/#.#.#/#...#/#...#"),
    ('N', "#..#/##.#/#.##", "#..#/##.#/#.##/#..#/#..#"),
    ('O', "###/#.#/###", ".#./#.#/#.#/#.#/.#."),
    ('P', "###/###/#..", "##./#.#/##./#../#.."),
    ('Q', "###/###/..#", ".#./#.#/#.#/.#./..#"),
    ('R', "##./##./#.#", "##./#.#/##./#.#/#.#"),
    ('S', ".##/.#./##.", ".##/#../.#./..#/##."),
    ('T', "###/.#./.#.", "###/.#./.#./.#./.#."),
    ('U', "#.#/#.#/###", "#.#/#.#/#.#/#.#/###"),
    ('V', "#.#/#.#/.#.", "#.#/#.#/#.#/#.#/.#."),
    ('W', "#...#/#.#.#/.#.#.", "#...#/#...#/#.#.#/#.#.#/.#.#."),
    ('X', "#.#/.#./#.#", "#.#/#.#/.#./#.#/#.#"),
    ('Y', "#.#/.#./.#.", "#.#/#.#/.#./.#./.#."),
    ('Z', "##./.#./.##", "###/..#/.#./#../###"),
    (' ', "././.", "././././."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_the_rows_of_their_font() {
        for (letter, ..) in &LETTERS {
            for height in [Height::Three, Height::Five] {
                let rows: Vec<&str> = height.letter(*letter).unwrap().split('/').collect();
                assert_eq!(rows.len(), height.rows(), "{letter}");
                assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{letter}");
                assert!(rows.iter().flat_map(|row| row.bytes()).all(|cell| b"#.".contains(&cell)), "{letter}");
            }
        }
        let shapes: Vec<&str> = LETTERS.iter().flat_map(|(_, three, five)| [*three, *five]).collect();
        let distinct: std::collections::BTreeSet<&str> = shapes.iter().copied().collect();
        assert_eq!(distinct.len(), shapes.len(), "no two letters look alike");
    }

    /// The grids and counts of Chenney 2000, section 2.4.3.
    #[test]
    fn the_papers_words_have_the_papers_sizes() {
        let hi = lettering("HI", Height::Three).unwrap();
        assert_eq!((hi.columns, hi.rows, hi.filled.len()), (7, 5, 10));
        let acm = lettering("acm", Height::Five).unwrap();
        assert_eq!((acm.columns, acm.rows, acm.filled.len()), (15, 7, 30));
        assert_eq!(lettering("A1", Height::Five), Err('1'));
        assert_eq!(lettering("", Height::Three).unwrap().filled.len(), 0);
    }
}
