"""Imports go one way: a module may import its own room and the rooms below it. Lazy and typing imports count.

There are no exceptions. Three rooms belong to the exam of UI grounding and may import it: `methods` are subjects that answer it, `annotate`
draws its boxes beside questions of any exam, and `doors` holds the commands of openadapt-grounding. A new room gets a place in LAYERS, and
docs/design/ says why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "snellen"
LAYERS = (
    ("core",),
    ("registry", "data", "stats", "workers"),
    ("synthetic", "choice"),
    ("exams", "subjects"),
    ("methods",),
    ("scorers", "providers"),
    ("engine",),
    ("importers",),
    ("comparison",),
    ("present",),
    ("annotate",),
    ("api",),
    ("cli",),
    ("doors",),
    ("grounding", "__main__"),
)
ENGINE = (
    ("runs", "call", "ask"),
    ("ray_pool",),
    ("plan",),
    ("answer", "mark", "probe_records"),
    ("stopping", "manifests"),
    ("remark",),
    ("run", "merging"),
    ("suite", "probe"),
)
PRESENT = (("model",), ("html",), ("terminal", "page", "viewer", "files"))
HEIGHT = {room: height for height, rooms in enumerate(LAYERS) for room in rooms}
ENGINE_HEIGHT = {room: height for height, rooms in enumerate(ENGINE) for room in rooms}
PRESENT_HEIGHT = {room: height for height, rooms in enumerate(PRESENT) for room in rooms}
OF_GROUNDING = ("methods", "annotate", "doors")
EXAMS = {p.name for p in (SOURCE / "exams").iterdir() if p.is_dir() and (p / "__init__.py").is_file()}


def module_of(path: Path) -> str:
    parts = list(path.relative_to(SOURCE.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(p): p for p in SOURCE.rglob("*.py")}


def imports_of(path: Path) -> Iterator[str]:
    """Every module of Snellen that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.partition(".")[0] == "snellen")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "snellen":
            for name in (a.name for a in node.names):
                whole = f"{node.module}.{name}"
                yield whole if whole in MODULES else node.module


GRAPH = {name: sorted(set(imports_of(path)) - {name}) for name, path in MODULES.items()}


def room(module: str) -> str:
    """The folder or file right below snellen/."""
    return module.split(".")[1] if "." in module else ""


def test_every_room_has_a_layer() -> None:
    assert {room(m) for m in MODULES} - {""} <= HEIGHT.keys()


def test_imports_go_down_only() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module in sorted(m for m in MODULES if room(m))
        for imported in GRAPH[module]
        if room(imported) and room(imported) != room(module)
        if HEIGHT[room(imported)] >= HEIGHT[room(module)]
    ]
    assert wrong == []


def test_inside_the_engine_imports_go_down_only_too() -> None:
    for module in (m for m in MODULES if m.startswith("snellen.engine.")):
        here = module.split(".")[2]
        for imported in (m for m in GRAPH[module] if m.startswith("snellen.engine.")):
            there = imported.split(".")[2]
            assert here == there or ENGINE_HEIGHT[there] < ENGINE_HEIGHT[here], f"{module} imports {imported}"


def test_skins_do_not_import_each_other() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module in (m for m in MODULES if m.startswith("snellen.present."))
        for imported in (m for m in GRAPH[module] if m.startswith("snellen.present."))
        for here, there in [(module.split(".")[2], imported.split(".")[2])]
        if here != there and PRESENT_HEIGHT[there] >= PRESENT_HEIGHT[here]
    ]
    assert wrong == []


def test_an_exam_imports_no_other_exam_and_a_generic_room_imports_none() -> None:
    for module, imported in ((m, i) for m, some in GRAPH.items() for i in some):
        own = module.split(".")[2] if module.startswith("snellen.exams.") else ""
        there = imported.split(".")[2] if imported.startswith("snellen.exams.") else ""
        if there in EXAMS and room(module) not in OF_GROUNDING:
            assert own == there, f"{module} imports {imported}"


def test_no_cycles() -> None:
    """A package's __init__ is a module of its own here: importing a submodule does not lean on it."""
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path[path.index(module) :], module))
        if module not in done:
            for imported in GRAPH[module]:
                if imported in GRAPH and imported != "snellen":
                    visit(imported, (*path, module))
            done.add(module)

    for name in (m for m in sorted(GRAPH) if m != "snellen"):
        visit(name, ())
