"""Arithmetic in data files, such as "right - 16 - measure(name)".

Words are names of the scope, and functions that the file may call; their first argument is the scope's host. In a template of a screen,
each number is a length in the design's units and becomes pixels. Right behind an operator other than + and -, and in calls
of functions other than `min` and `max`, the number is used unchanged.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

Formula = Callable[[Any], Any]
"""A function of the scope whose names it uses."""
Functions = dict[str, Callable[..., Any]]
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
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


def formula(text: str, functions: Functions, *, lengths: bool = False) -> Formula:
    """Return the function that an expression stands for; with `lengths`, its numbers are lengths."""
    return _formula(ast.parse(text.strip(), mode="eval").body, functions, lengths)


def _formula(node: ast.expr, functions: Functions, lengths: bool) -> Formula:
    """Return the function of a part of an expression."""

    def inner(part: ast.expr, lengths: bool = lengths) -> Formula:
        return _formula(part, functions, lengths)

    match node:
        case ast.Constant(value=int() | float() as number) if lengths and number:
            return lambda scope: scope.host.d(number)
        case ast.Constant(value=value):
            return lambda scope: value
        case ast.Name(id=name):
            return lambda scope: scope.names[name]
        case ast.Tuple(elts=parts):
            formulas = [inner(part) for part in parts]
            return lambda scope: tuple(part(scope) for part in formulas)
        case (
            ast.BinOp(left=left, op=sign, right=right)
            | ast.Compare(left=left, ops=[sign], comparators=[right])
            | ast.BoolOp(op=sign, values=[left, right])
        ):
            function = _OPERATORS[type(sign)]
            bare = isinstance(right, ast.Constant) and not isinstance(sign, ast.Add | ast.Sub)
            first, second = inner(left), inner(right, lengths and not bare)
            return lambda scope: function(first(scope), second(scope))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            denied = inner(operand)
            return lambda scope: not denied(scope)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            taken = inner(operand)
            return lambda scope: -taken(scope)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, yes, no = (inner(part) for part in (test, body, orelse))
            return lambda scope: yes(scope) if condition(scope) else no(scope)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            called = functions[name]
            inputs = [inner(part, lengths and name in ("min", "max")) for part in arguments]
            return lambda scope: called(scope.host, *(part(scope) for part in inputs))
    raise ValueError(f"not an expression of data files: {ast.unparse(node)}")
