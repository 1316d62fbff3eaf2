"""What a notebook shows, and pictures with their numbers."""

from __future__ import annotations

import json
import pickle
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import inbounds as ib
from common import EXAMPLES, PLANS


class Plots(unittest.TestCase):
    def test_every_statistic_of_the_examples_has_a_picture(self) -> None:
        kinds = set()
        for path in PLANS:
            bundle = ib.Plan.read(path).release(seed=1, not_private=True)
            for statistic in bundle.manifest["statistics"]:
                with self.subTest(plan=path.name, statistic=statistic["name"]):
                    plot = bundle.plot(statistic["name"])
                    self.assertEqual(xml.etree.ElementTree.fromstring(plot).tag, "{http://www.w3.org/2000/svg}svg")
                    self.assertEqual(plot.data, bundle.statistic(statistic["name"]))
                    self.assertEqual((plot._repr_svg_(), plot), (str(plot), bundle.plot(statistic["name"])))
                    kinds.add(statistic["kind"])
        self.assertGreater(len(kinds), 10)

    def test_forms(self) -> None:
        bundle = ib.Plan.read(EXAMPLES / "registry" / "plan.toml").release(seed=1, not_private=True)
        plot = bundle.plot("stays-by-district")
        self.assertIsInstance(plot, ib.Plot)
        self.assertEqual(repr(plot), f"<inbounds.Plot of {len(plot.data)} rows>")
        self.assertIn("Aldermoor", plot)
        again = pickle.loads(pickle.dumps(plot))
        self.assertEqual((again, again.data), (plot, plot.data))
        with tempfile.TemporaryDirectory() as room:
            file = plot.save(Path(room, "stays.svg"))
            self.assertEqual(file.read_text(encoding="utf-8"), plot)
            with self.assertRaises(ib.WriteError):
                plot.save(file)
        with self.assertRaises(ib.ParameterError):
            bundle.plot("no-such")
        advice = ib.advise(epsilon=1, sensitivity=1, lower=0)
        self.assertEqual(advice.plot().data, advice.mechanisms)

    def test_html(self) -> None:
        plan = ib.Plan.read(EXAMPLES / "registry" / "plan.toml")
        bundle = plan.release(seed=1, not_private=True)
        self.assertIn('<iframe sandbox=""', bundle._repr_html_())
        self.assertNotIn("<script", bundle._repr_html_())
        self.assertIn("<table>", plan.check()._repr_html_())
        self.assertIn("<svg", ib.advise(epsilon=1, sensitivity=1, lower=0)._repr_html_())

    def test_a_plan_is_explored_in_a_frame_that_reaches_nothing(self) -> None:
        plan = ib.Plan.read(EXAMPLES / "registry" / "plan.toml")
        explored = plan.explore()
        self.assertIn('<iframe sandbox="allow-scripts"', explored._repr_html_())
        self.assertIn("default-src 'none'", explored.page)
        numbers = json.loads(explored.page.split('id="numbers">')[1].split("</script>")[0])
        own = numbers["views"][numbers["own"]]
        self.assertEqual(own["view"]["report"]["statistics"], plan.check().statistics)
        self.assertEqual([view["epsilon"] for view in numbers["views"]], [2 * 2**power for power in range(-4, 5)])
        in_memory = ib.Plan(
            data={"ward": ["a", "b"]},
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
            columns={"ward": ib.Column(type="text", values=["a", "b"])},
            statistics=[ib.count(by="ward")],
        )
        self.assertIn("in the data", in_memory.explore().page)


if __name__ == "__main__":
    unittest.main()
