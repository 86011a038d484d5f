import math
import pickle
import unittest

from fib import (AxisConst, AxisExpr, AxisVar, BuildSpec, Correctness, Performance, RandomInput, ScalarInput, Solution,
                 SourceFile, TensorSpec, Trace, ValidationError, Workload)

from .support import definition, solution, trace


class Records(unittest.TestCase):
    def test_what_the_format_does_not_allow_is_refused(self):
        for make in (
                lambda: AxisConst(value=-1), lambda: AxisConst(), lambda: AxisConst(value=1, type="unknown"),
                lambda: TensorSpec(shape=["M"], dtype="float7"), lambda: TensorSpec(shape="M", dtype="int32"),
                lambda: SourceFile(path="../a.py", content="x"), lambda: SourceFile(path="/a.py", content="x"),
                lambda: SourceFile(path="a.py", content=1), lambda: Correctness(max_absolute_error=-1.0),
                lambda: Performance(latency_ms=-1.0), lambda: Workload(axes={"M": -1}, inputs={}, uuid="w"),
                lambda: Workload(axes={}, inputs={"x": object()}, uuid="w"),
                lambda: BuildSpec(language="python", target_hardware=[], entry_point="a.py::run"),
                lambda: BuildSpec(language="python", target_hardware=["cpu"], entry_point="a.py"),
                lambda: solution("s", "x", entry="../a.py::run"),
                lambda: definition(reference="def other():\n    pass\n"),
                lambda: definition(outputs={"x": TensorSpec(shape=["M"], dtype="float32")}),
                lambda: definition(outputs={"y": TensorSpec(shape=["K"], dtype="float32")}),
                lambda: Trace.model_validate_json("{"), lambda: Trace.model_validate([1])):
            with self.assertRaises(ValidationError):
                make()

    def test_a_message_names_the_field_of_a_part(self):
        with self.assertRaisesRegex(ValidationError, "^AxisConst: value: "):
            AxisConst(value=-1)

    def test_texts_that_are_no_utf8_are_refused(self):
        with self.assertRaises(ValidationError):
            definition(name="\ud800")

    def test_all_fields_survive_a_round_trip(self):
        for record in (definition(tags=["a"], constraints=["M > 0"], description="é"), solution("s", "x = 1\n"),
                       trace("s", 4, 2.0)):
            again = type(record).model_validate_json(record.model_dump_json())
            self.assertEqual(again.model_dump(), record.model_dump())
            self.assertEqual(type(record).model_validate(record.model_dump(mode="json")), again)
            self.assertEqual(pickle.loads(pickle.dumps(record)), record)

    def test_unknown_keys_survive_a_round_trip(self):
        text = ('{"definition":"d","workload":{"axes":{"M":1},"inputs":{"x":{"type":"random"}},"uuid":"u"},'
                '"solution":"s","evaluation":{"status":"TIMEOUT","environment":{"hardware":"h","libs":{}},'
                '"timestamp":"t","log":"",'
                '"correctness":null,"performance":null,"fib":{"run_id":"r"}}}')
        read = Trace.model_validate_json(text)
        self.assertEqual(read.evaluation.model_extra, {"fib": {"run_id": "r"}})
        self.assertEqual(read.model_dump_json(), text)

    def test_numbers_that_are_not_finite(self):
        made = Correctness(max_relative_error=math.inf, max_absolute_error=math.nan)
        self.assertEqual(made.model_dump_json(),
                         '{"max_relative_error":"Infinity","max_absolute_error":"NaN","extra":null}')
        self.assertTrue(math.isnan(Correctness.model_validate_json(made.model_dump_json()).max_absolute_error))

    def test_scalars_keep_their_type(self):
        values = [ScalarInput(value=value).value for value in (1, 1.0, True)]
        self.assertEqual([type(value) for value in values], [int, float, bool])

    def test_records_in_records_are_the_ones_that_were_given(self):
        source = SourceFile(path="main.py", content="x")
        spec = BuildSpec(language="python", target_hardware=["cpu"], entry_point="main.py::run")
        made = Solution(name="s", definition="d", author="a", spec=spec, sources=[source])
        self.assertIs(made.get_entry_source(), source)
        self.assertIs(made.spec, spec)

    def test_solutions_are_equal_when_their_content_is(self):
        self.assertEqual(solution("a", "x"), solution("b", "x"))
        self.assertNotEqual(solution("a", "x"), solution("a", "y"))
        self.assertEqual(len({solution("a", "x"), solution("b", "x")}), 1)
        self.assertEqual(solution("a", "x").with_unique_name().name, f"a_{solution('a', 'x').hash()[:8]}")
        with self.assertRaises(ValidationError):
            solution("a", "x").name = "b"

    def test_the_content_hash_tells_what_the_formats_hash_does_not(self):
        passed = solution("a", "x", destination_passing_style=True)
        returned = solution("a", "x", destination_passing_style=False)
        self.assertEqual(passed.hash(), returned.hash())
        self.assertNotEqual(passed.content_hash(), returned.content_hash())

    def test_copies(self):
        made = trace("s", 4, 2.0)
        self.assertEqual(made.model_copy(update={"solution": "t"}).solution, "t")
        deep = made.model_copy(deep=True)
        deep.workload.axes["M"] = 5
        self.assertEqual(made.workload.axes["M"], 4)

    def test_what_is_dumped(self):
        self.assertEqual(RandomInput().model_dump(exclude_unset=True), {"type": "random"})
        self.assertNotIn("tags", definition().model_dump(exclude_unset=True))
        self.assertEqual(definition().model_dump()["tags"], [])
        self.assertEqual(set(definition().model_dump(include={"name", "axes"})), {"name", "axes"})


class Shapes(unittest.TestCase):
    def test_sizes_of_axes(self):
        made = definition()
        self.assertEqual(made.get_axes_values([(3, 16)]), {"M": 3})
        self.assertEqual(made.get_output_shapes({"M": 3}), [[3, 16]])
        for shapes in ([(3,)], [None]):
            with self.assertRaises(ValueError):
                made.get_axes_values(shapes)
        with self.assertRaisesRegex(ValueError, "Missing value for variable axis 'M'"):
            made.get_output_shapes()

    def test_axes_that_are_expressions(self):
        made = definition(axes={"M": AxisVar(), "N": AxisConst(value=16), "H": AxisExpr(expression="M * 2 + N // 4")},
                          outputs={"y": TensorSpec(shape=["H"], dtype="float32")})
        self.assertEqual(made.get_output_shapes({"M": 3}), [[10]])

    def test_expressions_execute_nothing(self):
        made = definition(axes={"M": AxisVar(), "N": AxisConst(value=16)})
        for expression in ("__import__('os')", "M.real", "9 ** 9 ** 9", "M / 0", "[1]", "(" * 500 + "1" + ")" * 500):
            made.axes["N"] = AxisExpr.model_construct(type="expr", expression=expression)
            with self.assertRaises(ValueError):
                made.get_input_shapes({"M": 3})

    def test_arguments_by_name(self):
        made = definition()
        self.assertEqual(made.merge_kwargs_to_args((1,), {"y": 2}), (1, 2))
        self.assertEqual(made.merge_kwargs_to_args((), {"y": 2}), ())
        with self.assertRaises(TypeError):
            made.merge_kwargs_to_args((1,), {"x": 2})
        with self.assertRaises(TypeError):
            made.merge_kwargs_to_args((1, 2, 3), {"z": 2})


if __name__ == "__main__":
    unittest.main()
