"""Sizes that are expressions over other sizes: whole numbers, names, + - * / // % ** and parentheses."""

import ast
import operator

_LIMIT = 2**62

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def evaluate(expression, sizes):
    """The value of the expression for these sizes. Nothing is executed: the text is read as a tree, and only the
    operations above are known.

    Raises ValueError for anything else, for a name without a size, and for what is not a whole number."""
    try:
        value = _value(ast.parse(expression, mode="eval").body, sizes)
        whole = int(value)
    except (SyntaxError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"The axis expression '{expression}' has no value: {error}") from None
    if whole != value or whole < 0:
        raise ValueError(f"The axis expression '{expression}' is {value}, which is not a size")
    return whole


def _value(node, sizes):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
    elif isinstance(node, ast.Name):
        if node.id not in sizes:
            raise ValueError(f"Missing value for variable axis '{node.id}'")
        value = sizes[node.id]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        value = _value(node.operand, sizes)
        value = -value if isinstance(node.op, ast.USub) else value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _value(node.left, sizes), _value(node.right, sizes)
        if not 0 <= power < 64:
            raise ValueError("a power in an axis expression is between 0 and 63")
        value = base**power
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        value = _BINARY[type(node.op)](_value(node.left, sizes), _value(node.right, sizes))
    else:
        raise ValueError(f"an axis expression has no {type(node).__name__}")
    if abs(value) > _LIMIT:
        raise ValueError("an axis expression is too large")
    return value
