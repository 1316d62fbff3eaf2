"""The package itself: its stubs, its command, what it imports."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
import unittest
from importlib import metadata
from pathlib import Path

import inbounds as ib
from common import command
from inbounds import _inbounds

PACKAGE = Path(ib.__file__).parent


def stub() -> dict[str, object]:
    """Each function of the stub with its arguments, and each class with its members."""
    found: dict[str, object] = {}
    for node in ast.parse((PACKAGE / "_inbounds.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = arguments(node)
        elif isinstance(node, ast.ClassDef):
            members = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found[node.name] = {one.name: arguments(one) for one in members}
        elif isinstance(node, ast.AnnAssign):
            found[ast.unparse(node.target)] = None
    return found


def arguments(node: ast.FunctionDef) -> list[str] | None:
    if any(ast.unparse(one) == "property" for one in node.decorator_list):
        return None
    return [one.arg for one in node.args.posonlyargs + node.args.args + node.args.kwonlyargs if one.arg != "self"]


def signature(function: object) -> list[str] | None:
    if inspect.isgetsetdescriptor(function):
        return None
    return [name for name in inspect.signature(function).parameters if name != "self"]  # type: ignore[arg-type]


class Package(unittest.TestCase):
    def test_the_stub_is_the_module(self) -> None:
        module: dict[str, object] = {}
        for name, thing in vars(_inbounds).items():
            if inspect.isclass(thing):
                own = {key: value for key, value in vars(thing).items() if key not in ("__doc__", "__module__", "__repr__")}
                own = {key: getattr(thing, key) for key in own if key not in ("__new__", "__getattribute__")}
                module[name] = {key: signature(value) for key, value in own.items()}
            elif callable(thing):
                module[name] = signature(thing)
            elif name == "__version__":
                module[name] = None
        self.assertEqual(stub(), module)

    def test_every_public_name_is_documented(self) -> None:
        self.assertEqual(sorted(ib.__all__), ib.__all__)
        for name in ib.__all__:
            if name != "__version__":
                self.assertTrue(getattr(ib, name).__doc__, name)

    def test_types_are_shipped(self) -> None:
        self.assertTrue((PACKAGE / "py.typed").is_file())

    def test_nothing_is_required(self) -> None:
        self.assertFalse(metadata.requires("inbounds"))
        self.assertEqual(metadata.version("inbounds"), ib.__version__)

    def test_only_the_standard_library_is_imported(self) -> None:
        script = "import sys; old = set(sys.modules); import inbounds; print(*{n.split('.')[0] for n in set(sys.modules) - old})"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        foreign = set(done.stdout.split()) - set(sys.stdlib_module_names) - {"inbounds"}
        self.assertFalse(foreign)

    def test_the_command(self) -> None:
        self.assertEqual(command("--version").stdout, f"inbounds {ib.__version__}\n")
        self.assertEqual(command("help", "plan").returncode, 0)
        self.assertEqual(command("no-such-command").returncode, 2)
        self.assertEqual(command().returncode, 2)
        module = [sys.executable, "-m", "inbounds", "check", "examples/registry/plan.toml", "--json"]
        done = subprocess.run(module, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["epsilon"], "2")

    def test_examples_of_the_docstrings(self) -> None:
        import doctest
        import importlib.util

        tried = 0
        for path in PACKAGE.glob("*.py"):
            if path.stem == "sklearn" and importlib.util.find_spec("sklearn") is None:
                print("SKIPPED: the docstrings of inbounds.sklearn, scikit-learn not installed", file=sys.stderr)
            elif path.stem not in ("__main__",):
                name = "inbounds" if path.stem == "__init__" else f"inbounds.{path.stem}"
                result = doctest.testmod(importlib.import_module(name))
                self.assertEqual(result.failed, 0, name)
                tried += result.attempted
        self.assertGreater(tried, 5)


if __name__ == "__main__":
    unittest.main()
