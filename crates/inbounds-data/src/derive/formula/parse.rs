//! From a syntax tree to a formula.

use sqlparser::ast::{
    BinaryOperator, CeilFloorKind, DateTimeField, Expr as Sql, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, UnaryOperator, Value,
};

use super::FormulaError;
use super::term::{Function1, Function2, Term};

/// Deepest nesting, far below what the stack can take.
const DEPTH: usize = 200;

const REMEDY: &str = "a formula is made of columns, numbers, +, -, *, /, abs, floor, least and greatest";

pub(super) fn term(sql: &Sql, columns: &mut Vec<String>, depth: usize) -> Result<Term, FormulaError> {
    let refuse = |remedy| Err(FormulaError::Refused { part: sql.to_string(), remedy });
    if depth > DEPTH {
        return Err(FormulaError::Refused { part: "...".to_owned(), remedy: "nest at most 200 operations" });
    }
    let mut one = |sql: &Sql| term(sql, columns, depth + 1).map(Box::new);
    Ok(match sql {
        Sql::Nested(inner) => return term(inner, columns, depth + 1),
        Sql::Identifier(name) => {
            let known = columns.iter().position(|column| *column == name.value);
            Term::Column(known.unwrap_or_else(|| {
                columns.push(name.value.clone());
                columns.len() - 1
            }))
        }
        Sql::CompoundIdentifier(_) => return refuse("put a column name with a dot in double quotes"),
        Sql::Value(value) => match &value.value {
            Value::Number(digits, false) => match digits.parse() {
                Ok(number) => Term::Number(number),
                Err(_) => return refuse("write a decimal number"),
            },
            _ => return refuse(REMEDY),
        },
        Sql::UnaryOp { op: UnaryOperator::Plus, expr } => return term(expr, columns, depth + 1),
        Sql::UnaryOp { op: UnaryOperator::Minus, expr } => Term::Of(Function1::Minus, one(expr)?),
        Sql::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
            Term::Of(Function1::Floor, one(expr)?)
        }
        Sql::BinaryOp { left, op, right } => {
            let function = match op {
                BinaryOperator::Plus => Function2::Plus,
                BinaryOperator::Minus => Function2::Minus,
                BinaryOperator::Multiply => Function2::Times,
                BinaryOperator::Divide => Function2::Over,
                _ => return refuse(REMEDY),
            };
            Term::Between(function, one(left)?, one(right)?)
        }
        Sql::Function(function) => return call(function, columns, depth).unwrap_or_else(|| refuse(REMEDY)),
        _ => return refuse(REMEDY),
    })
}

/// A function by its name; none for one that there is not.
fn call(function: &Function, columns: &mut Vec<String>, depth: usize) -> Option<Result<Term, FormulaError>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let argument = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(sql)) => Some(term(sql, columns, depth + 1)),
        _ => None,
    };
    let arguments: Option<Result<Vec<Term>, FormulaError>> = list.args.iter().map(argument).collect();
    let mut arguments = match arguments? {
        Ok(arguments) => arguments.into_iter(),
        Err(error) => return Some(Err(error)),
    };
    let function = match function.name.to_string().to_lowercase().as_str() {
        "abs" if arguments.len() == 1 => {
            return arguments.next().map(|operand| Ok(Term::Of(Function1::Abs, Box::new(operand))));
        }
        "least" => Function2::Least,
        "greatest" => Function2::Greatest,
        _ => return None,
    };
    let all = arguments.reduce(|left, right| Term::Between(function, Box::new(left), Box::new(right)));
    all.map(Ok)
}
