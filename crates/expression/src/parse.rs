//! From text to a tree, with a message and a place for what cannot be read.

use std::borrow::Cow;
use std::ops::Range;

use proscenium_diagnostics::Remedy;

/// Deeper nesting than this is refused, so that no text can exhaust the stack.
const DEEPEST: usize = 64;

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Bytes of the expression.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Remedy for ExpressionError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(self.help.as_str().into())
    }
}

impl ExpressionError {
    /// What is wrong at some bytes, and what to do about it.
    pub fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into() }
    }
}

/// An expression, names not yet resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Bytes of the text that it was read from.
    pub span: Range<usize>,
    /// What it is.
    pub node: Node,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number.
    Number(f64),
    /// What goes by a name.
    Name(String),
    /// A function of some expressions.
    Call(String, Vec<Tree>),
    /// Minus an expression.
    Negative(Box<Tree>),
    /// Whether a condition does not hold.
    Not(Box<Tree>),
    /// Two expressions with an operator between them.
    Binary(Operator, Box<Tree>, Box<Tree>),
}

/// What stands between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`, or `a b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a ^ b`
    Power,
    /// `a >= b`
    AtLeast,
    /// `a > b`
    Above,
    /// `a <= b`
    AtMost,
    /// `a < b`
    Below,
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

impl Operator {
    /// Whether what comes of it holds or does not.
    pub(crate) fn is_condition(self) -> bool {
        !matches!(self, Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Power)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Symbol(&'static str),
    End,
}

impl Token {
    fn describe(&self) -> String {
        match self {
            Token::Number(number) => format!("the number {number}"),
            Token::Name(name) => format!("`{name}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

const SYMBOLS: &[&str] = &[">=", "<=", "**", "+", "-", "*", "/", "^", "(", ")", ",", ">", "<", "·", "−", "×"];

fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ExpressionError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() || first == '.' {
            number(rest, at)?
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            let meant = match *symbol {
                "·" | "×" => "*",
                "−" => "-",
                "**" => "^",
                other => other,
            };
            (Token::Symbol(meant), symbol.len())
        } else {
            let help = "expected a number, a name, an operator (+ - * / ^ >= <=) or a parenthesis";
            return Err(ExpressionError::new(
                at..at + first.len_utf8(),
                format!("`{first}` has no meaning here"),
                help,
            ));
        };
        found.push((token, at..at + length));
        at += length;
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), ExpressionError> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        // `2 e` without digits is the number 2 and a name.
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    match rest[..length].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), length)),
        _ => Err(ExpressionError::new(
            at..at + length.max(1),
            "this is not a finite number",
            "expected a number such as 0.25",
        )),
    }
}

/// Reads an expression. `is_function` tells names that are called from names
/// that are multiplied with a parenthesis.
pub fn parse(text: &str, is_function: &dyn Fn(&str) -> bool) -> Result<Tree, ExpressionError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0, is_function };
    let tree = parser.binary(0)?;
    match parser.peek() {
        (Token::End, _) => Ok(tree),
        (token, span) => {
            let message = format!("{} was not expected", token.describe());
            Err(ExpressionError::new(span.clone(), message, "expected an operator or the end of the expression"))
        }
    }
}

struct Parser<'a> {
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    depth: usize,
    is_function: &'a dyn Fn(&str) -> bool,
}

/// The operators of each level, loosest first.
const LEVELS: &[&[(&str, Operator)]] = &[
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[(">=", Operator::AtLeast), (">", Operator::Above), ("<=", Operator::AtMost), ("<", Operator::Below)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
];

/// The level of comparisons, where `not` may stand.
const NEGATION: usize = 2;

impl Parser<'_> {
    fn peek(&self) -> &(Token, Range<usize>) {
        // The last token is always the end, which is never passed.
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> (Token, Range<usize>) {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn is_next(&self, symbol: &str) -> bool {
        match &self.peek().0 {
            Token::Symbol(found) => *found == symbol,
            Token::Name(name) => name == symbol,
            _ => false,
        }
    }

    fn binary(&mut self, level: usize) -> Result<Tree, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.product();
        };
        if level == NEGATION && self.is_next("not") {
            return self.negation();
        }
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.is_next(symbol)) {
            self.take();
            let right = self.binary(level + 1)?;
            left = joined(*operator, left, right);
        }
        Ok(left)
    }

    /// `not` and the comparison that follows.
    fn negation(&mut self) -> Result<Tree, ExpressionError> {
        let start = self.take().1.start;
        self.enter()?;
        let inner = Box::new(self.binary(NEGATION)?);
        self.depth -= 1;
        Ok(Tree { span: start..inner.span.end, node: Node::Not(inner) })
    }

    fn enter(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth <= DEEPEST {
            return Ok(());
        }
        let message = format!("this is nested more than {DEEPEST} deep");
        Err(ExpressionError::new(self.peek().1.clone(), message, "name a part of it under [define]"))
    }

    /// Products, with and without a sign between the factors.
    fn product(&mut self) -> Result<Tree, ExpressionError> {
        let mut left = self.signed()?;
        let mut divided = false;
        loop {
            if self.is_next("*") || self.is_next("/") {
                let operator = if self.is_next("*") { Operator::Multiply } else { Operator::Divide };
                self.take();
                let right = self.signed()?;
                divided = operator == Operator::Divide;
                left = joined(operator, left, right);
            } else if self.begins_factor() {
                if divided {
                    let message = "it is not clear what is divided by what";
                    let help = "after a division, write * or put the divisor in parentheses: a / (b c) or a / b * c";
                    return Err(ExpressionError::new(self.peek().1.clone(), message, help));
                }
                let right = self.power()?;
                left = joined(Operator::Multiply, left, right);
            } else {
                return Ok(left);
            }
        }
    }

    fn begins_factor(&self) -> bool {
        match &self.peek().0 {
            Token::Number(_) => true,
            Token::Name(name) => !matches!(name.as_str(), "and" | "or" | "not"),
            Token::Symbol(symbol) => *symbol == "(",
            Token::End => false,
        }
    }

    fn signed(&mut self) -> Result<Tree, ExpressionError> {
        self.enter()?;
        let start = self.peek().1.start;
        let tree = if self.is_next("-") {
            self.take();
            let inner = Box::new(self.signed()?);
            Tree { span: start..inner.span.end, node: Node::Negative(inner) }
        } else if self.is_next("+") {
            self.take();
            self.signed()?
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(tree)
    }

    fn power(&mut self) -> Result<Tree, ExpressionError> {
        let base = self.atom()?;
        if !self.is_next("^") {
            return Ok(base);
        }
        self.take();
        // Right-associative, and the exponent may have a sign.
        let exponent = self.signed()?;
        Ok(joined(Operator::Power, base, exponent))
    }

    fn atom(&mut self) -> Result<Tree, ExpressionError> {
        let (token, span) = self.take();
        match token {
            Token::Number(number) => Ok(Tree { span, node: Node::Number(number) }),
            Token::Name(name) if (self.is_function)(&name) => self.call(name, span),
            Token::Name(name) if !matches!(name.as_str(), "and" | "or") => Ok(Tree { span, node: Node::Name(name) }),
            Token::Symbol("(") => {
                let mut inner = self.nested()?;
                let end = self.close()?;
                inner.span = span.start..end;
                Ok(inner)
            }
            other => {
                let message = format!("{} was not expected", other.describe());
                Err(ExpressionError::new(span, message, "expected a number, a name, a function or `(`"))
            }
        }
    }

    fn nested(&mut self) -> Result<Tree, ExpressionError> {
        self.enter()?;
        let inner = self.binary(0);
        self.depth -= 1;
        inner
    }

    fn close(&mut self) -> Result<usize, ExpressionError> {
        let (token, span) = self.take();
        if token == Token::Symbol(")") {
            return Ok(span.end);
        }
        Err(ExpressionError::new(span, format!("{} was not expected", token.describe()), "expected `)`"))
    }

    fn call(&mut self, name: String, span: Range<usize>) -> Result<Tree, ExpressionError> {
        if !self.is_next("(") {
            let (token, at) = self.take();
            let message = format!("{} was not expected after the function `{name}`", token.describe());
            return Err(ExpressionError::new(at, message, format!("expected `(`, as in {name}(x)")));
        }
        self.take();
        let mut arguments = vec![self.nested()?];
        while self.is_next(",") {
            self.take();
            arguments.push(self.nested()?);
        }
        let end = self.close()?;
        Ok(Tree { span: span.start..end, node: Node::Call(name, arguments) })
    }
}

fn joined(operator: Operator, left: Tree, right: Tree) -> Tree {
    Tree { span: left.span.start..right.span.end, node: Node::Binary(operator, Box::new(left), Box::new(right)) }
}
