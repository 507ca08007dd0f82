"""Arithmetic in templates, such as "right - 16 - measure(name)".

A number is a length in the design's units and becomes pixels, each by itself. Right behind an operator other than + and -, and in
calls of `d`, `px`, `side` and `measure`, it is the number as it stands. Other words are names of the template.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from snellen.synthetic.screens.widgets import Ui, aligned

Formula = Callable[[Any], Any]
"""Takes the drawing whose names it uses."""
OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.In: lambda one, many: one in many,
    ast.And: lambda one, two: one and two,
    ast.Or: lambda one, two: one or two,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": lambda ui, *lengths: min(lengths),
    "max": lambda ui, *lengths: max(lengths),
    "abs": lambda ui, length: abs(length),
    "d": Ui.d,
    "int": lambda ui, number: int(number),
    "round": lambda ui, number: round(number),
    "aligned": lambda ui, x, wide, align: aligned(x, wide, align),
    "cut": Ui.cut,
    "side": Ui.side,
    "measure": Ui.measure,
    "px": lambda ui, number: number,
    "count": lambda ui, values: len(values),
    "entry": lambda ui, values, i: values[i] if i < len(values) else "",
}


@lru_cache(maxsize=4096)
def formula(text: str) -> Formula:
    """Return the function that an expression stands for."""
    return _formula(ast.parse(text.strip(), mode="eval").body, True)


def _formula(node: ast.expr, lengths: bool) -> Formula:
    """Return the function of a part of an expression; `lengths`: its numbers are lengths."""
    match node:
        case ast.Constant(value=int() | float() as number) if lengths and number:
            return lambda scope: scope.ui.d(number)
        case ast.Constant(value=value):
            return lambda scope: value
        case ast.Name(id=name):
            return lambda scope: scope.names[name]
        case ast.Tuple(elts=parts):
            formulas = [_formula(part, lengths) for part in parts]
            return lambda scope: tuple(part(scope) for part in formulas)
        case (
            ast.BinOp(left=left, op=sign, right=right)
            | ast.Compare(left=left, ops=[sign], comparators=[right])
            | ast.BoolOp(op=sign, values=[left, right])
        ):
            function = OPERATORS[type(sign)]
            bare = isinstance(right, ast.Constant) and not isinstance(sign, ast.Add | ast.Sub)
            first, second = _formula(left, lengths), _formula(right, lengths and not bare)
            return lambda scope: function(first(scope), second(scope))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _formula(operand, lengths)
            return lambda scope: not inner(scope)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, yes, no = (_formula(part, lengths) for part in (test, body, orelse))
            return lambda scope: yes(scope) if condition(scope) else no(scope)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            called = FUNCTIONS[name]
            inputs = [_formula(part, lengths and name in ("min", "max")) for part in arguments]
            return lambda scope: called(scope.ui, *(part(scope) for part in inputs))
    raise ValueError(f"not an expression of templates: {ast.unparse(node)}")
