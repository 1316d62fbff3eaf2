"""`python3 -m unittest discover -s benches`: how figures are read and written, and that a child's memory is its own."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("record", str(HERE / "record"))
record = importlib.util.module_from_spec(importlib.util.spec_from_loader("record", loader))
loader.exec_module(record)


class Children(unittest.TestCase):
    def test_the_peak_is_that_of_the_child(self) -> None:
        held = bytearray(b"x") * (500 << 20)
        script = 'held = bytearray(b"x") * (50 << 20); print(len(held))'
        taken = record.child.run([sys.executable, "-I", "-S", "-c", script])
        self.assertEqual((taken.code, taken.output.strip()), (0, str(50 << 20)))
        # The interpreter of the child is some ten megabytes itself.
        self.assertTrue(50 <= taken.peak <= 75, f"{taken.peak} MB beside the parent's {len(held) >> 20}")

    def test_the_least_peak_is_that_of_what_stands_between(self) -> None:
        held = bytearray(b"x") * (200 << 20)
        peak = record.child.run(["true"]).peak
        self.assertTrue(0 < peak <= record.child.FLOOR_MB, f"{peak} MB beside {len(held) >> 20}")

    def test_failures_are_told(self) -> None:
        self.assertEqual(record.child.run(["sh", "-c", "echo said; exit 3"])[::4], (3, "said\n"))
        self.assertEqual(record.child.run(["sh", "-c", "kill -9 $$"]).code, -9)
        missing = record.child.run(["no-such-program"])
        self.assertTrue(missing.code and "no-such-program" in missing.output, missing)


class Figures(unittest.TestCase):
    def read(self, output: str, **rule: object) -> str:
        return record.figure(rule, output)

    def test_units_medians_and_ends(self) -> None:
        output = "run, CPU time\n      time:   [146.9 ms 148.2 ms 149.6 ms]\nspeed 10\nspeed 30\nspeed 20\n"
        time = r"CPU time\s+time:\s+\[\S+ \S+ (?P<cpu>\S+) (?P<cpu_unit>\S+)"
        self.assertEqual(self.read(output, find=time, text="{cpu:.3f} s"), "0.148 s")
        self.assertEqual(self.read(output, find=time, text="{cpu:time}"), "148 ms")
        speed = r"speed (?P<value>\d+)"
        ends = "{value.least:.0f} to {value.most:.0f}, {value:.0f} of {value.count}"
        self.assertEqual(self.read(output, find=speed, text=ends), "10 to 30, 20 of 3")
        self.assertEqual(self.read(output, find=speed, over=r"speed (?P<value>30)", text="{value:.2f}"), "0.67")
        self.assertEqual(self.read(output, find=speed, per=1000, text="{value:.1f} ns"), "50.0 ns")
        with self.assertRaises(record.Mistake):
            self.read(output, find="nothing (?P<value>.)", text="{value}")

    def test_digits(self) -> None:
        cases = {(0.126, 2): "0.13", (1.82, 2): "1.8", (9.96, 2): "10", (76.4, 2): "76", (1490.0, 3): "1,490", (0, 2): "0"}
        for (value, digits), text in cases.items():
            self.assertEqual(record.significant(value, digits), text)
        self.assertEqual(f"{record.Numbers([152.0]):minutes}", "2 min 32 s")

    def test_documents_take_what_is_recorded(self) -> None:
        records = {"one": {"figures": {"cpu": "1.5 million draws/s"}}}
        text = "a <!-- figure: one.cpu -->old<!-- end -->, <!-- number: one.cpu -->old<!-- end -->."
        made = "a <!-- figure: one.cpu -->1.5 million draws/s<!-- end -->, <!-- number: one.cpu -->1.5<!-- end -->."
        self.assertEqual(record.marked(text, records, "a document"), made)
        with self.assertRaises(record.Mistake):
            record.marked("<!-- figure: one.wall -->1<!-- end -->", records, "a document")

    def test_every_expression_compiles_and_names_what_its_text_shows(self) -> None:
        for name, benchmark in record.read_benchmarks().items():
            for key, rule in benchmark["figures"].items():
                if "command" in benchmark:
                    groups = record.re.compile(rule["find"]).groupindex
                    fields = record.re.findall(r"\{(\w+)", rule["text"])
                    self.assertTrue(fields and set(fields) <= {*groups, "sum"}, f"{name}.{key}")


if __name__ == "__main__":
    unittest.main()
