"""The package itself: its stubs, its command, what it imports."""

from __future__ import annotations

import ast
import ctypes
import inspect
import json
import re
import subprocess
import sys
import unittest
from importlib import metadata
from pathlib import Path

import inbounds as ib
from common import PACKAGE, ROOT, command
from inbounds import _inbounds


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


def native_functions() -> dict[str, str]:
    """The bodies of all functions of the extension module that Python calls, by file and name."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "crates" / "inbounds-python" / "src").glob("*.rs")):
        text = path.read_text()
        blocks = [block.split("\n}\n")[0] for block in text.split("#[pymethods]")[1:]]
        blocks += [block.split("\n}\n")[0] for block in text.split("#[pyfunction]")[1:]]
        for block in blocks:
            for function in re.split(r"\n(?: {4})?(?:pub\(crate\) )?fn ", block)[1:]:
                found[f"{path.stem}.{re.split('[^a-z_0-9]', function)[0]}"] = function.split("{", 1)[1]
    return found


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

    def test_no_function_lets_a_panic_through(self) -> None:
        functions = native_functions()
        self.assertGreater(len(functions), 40)
        # A constant, a field or a copy of one cannot panic.
        plain = re.compile(r'\s*("[^"]*"|&?self(\.\w+)+(\.clone\(\))?)\s*}')
        for name, body in functions.items():
            careful = any(word in body for word in ("work::run(", "work::apart(", "shielded("))
            self.assertTrue(
                careful or plain.match(body), f"{name} goes through none of work::run, work::apart and fault::shielded"
            )

    def test_a_panic_is_an_error_of_the_package(self) -> None:
        """A stream whose schema is no UTF-8: whoever reads it panics."""
        ask, free = (
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p),
        )
        words = ctypes.create_string_buffer(b"\xff\xfe canary")

        class Schema(ctypes.Structure):
            _fields_ = [
                ("format", ctypes.c_char_p),
                ("name", ctypes.c_char_p),
                ("metadata", ctypes.c_char_p),
                ("flags", ctypes.c_int64),
                ("n_children", ctypes.c_int64),
                ("children", ctypes.c_void_p),
                ("dictionary", ctypes.c_void_p),
                ("release", free),
                ("private_data", ctypes.c_void_p),
            ]

        class Stream(ctypes.Structure):
            _fields_ = [
                ("get_schema", ask),
                ("get_next", ask),
                ("get_last_error", ctypes.c_void_p),
                ("release", free),
                ("private_data", ctypes.c_void_p),
            ]

        @free
        def release(_: int) -> None:
            pass

        @ask
        def get_schema(_: int, out: int) -> int:
            made = Schema(ctypes.cast(words, ctypes.c_char_p), None, None, 0, 0, None, None, release, None)
            ctypes.memmove(out, ctypes.byref(made), ctypes.sizeof(Schema))
            return 0

        stream = Stream(get_schema, get_schema, None, release, None)
        name = b"arrow_array_stream"
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

        class Holder:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return capsule(ctypes.addressof(stream), name, None)

        with self.assertRaises(ib.DataError) as caught:
            ib.Data(Holder())
        self.assertNotIn("canary", str(caught.exception))
        self.assertTrue(issubclass(ib.InternalError, ib.Error))

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
