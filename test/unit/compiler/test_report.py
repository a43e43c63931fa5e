"""The page: nothing unescaped, nothing from the network, numbers that add up."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from planned import compiled

from distc.compiler.certificate import MEMBER, certificate
from distc.compiler.explain.collectives import Collective, Place, axes_of, collectives
from distc.compiler.explain.summary import read_entry
from distc.compiler.report import MAX_BYTES, build_report
from distc.compiler.report.communication import traffic
from distc.compiler.report.cost import by_class
from distc.compiler.report.liveness import liveness
from distc.compiler.report.markup import Markup, escape, fitting, join, tag
from distc.compiler.report.plan import plan
from distc.runtime import artifact as artifacts
from distc.runtime.layout import DimLayout, TensorLayout
from distc.runtime.manifest import EntryPoint, Manifest, TensorRecord
from distc.runtime.program import Call, Program, Ref, ValueType, to_json
from distc.solver.collective_cost import StepKind

EVIL = '"><script>alert(1)</script><img src=http://x onerror=y>'
LOCAL = ValueType((4, 2), "f32")
MESH = (("data", 2, "device"), ("tensor", 2, "device"))


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        """Keep text."""
        self.text.append(data)


def written(folder: Path, program: Program, name: str = "x", **texts: str) -> artifacts.Artifact:
    """Return an artifact of one entry point with a parameter of that name."""
    dims = tuple(DimLayout(n) for n in LOCAL.shape)
    record = TensorRecord(name, "input", "f32", TensorLayout(LOCAL.shape, dims), "[R, R]")
    entry = EntryPoint("main", (record,), (replace(record, kind="output"),))
    members = {"program.json": to_json(program), **{f"{k}.mlir": v for k, v in texts.items()}}
    members[MEMBER] = certificate(members, True)
    artifacts.write(folder / "a.distc", members, Manifest(MESH, (entry,), {"distc": EVIL}))
    return artifacts.read(folder / "a.distc")


def reduced(location: str = "") -> Program:
    """An all-reduce over `tensor`, twice its result, and a view of that."""
    calls = (
        Call(
            "collective.all_reduce", (Ref(0),), {"kind": "sum", "groups": [[0, 1], [2, 3]]},
            (1,), (LOCAL,), location,
        ),
        Call("aten.add.Tensor", (Ref(1), Ref(1)), {}, (2,), (LOCAL,), location),
        Call("aten.reshape.default", (Ref(2), [8]), {}, (3,), (ValueType((8,), "f32"),)),
        Call("aten.neg.default", (Ref(3),), {}, (4,), (ValueType((8,), "f32"),), "m.py:9:9 in end"),
    )  # fmt: skip
    return Program((LOCAL,), calls, (4,))


def test_names_and_lines_cannot_leave_their_place(tmp_path: Path) -> None:
    text = build_report(written(tmp_path, reduced(EVIL), EVIL, source=EVIL))
    page = Page(text)
    assert page.tags.count("script") == 1 and "img" not in page.tags
    assert not [k for k, _ in page.attributes if k.startswith("on")]
    assert sum(EVIL in piece for piece in page.text) >= 3


def test_a_page_needs_nothing_else(tmp_path: Path) -> None:
    page = Page(build_report(written(tmp_path, reduced())))
    assert not {"link", "iframe", "img"} & set(page.tags)
    assert not [v for k, v in page.attributes if k in ("src", "href") and v and v[0] != "#"]
    assert {"summary", "plan", "memory", "communication", "cost", "ir"} <= {
        v for k, v in page.attributes if k == "id"
    }


def test_a_page_stays_small(tmp_path: Path) -> None:
    lines = "\n".join(f"%{n} = stablehlo.add %a, %b : tensor<4xf32>" for n in range(100_000))
    artifact = written(tmp_path, reduced(), source=lines, plan="x" * 5_000_000, partitioned="end")
    text = build_report(artifact)
    assert len(text.encode()) < MAX_BYTES
    assert "more lines of 100000" in text and "… cut" in text and ">end<" in text


def test_rows_are_made_until_their_bytes_are_spent() -> None:
    made, left_out = fitting([("a",), ("b",), ("c" * 100,), ("d",)], 60)
    assert made == [tag("tr", tag("td", "a")), tag("tr", tag("td", "b"))] and left_out == 2


def test_a_large_plan_keeps_what_costs_most(tmp_path: Path) -> None:
    compiled(tmp_path).save(tmp_path / "p.distc")
    artifact = artifacts.read(tmp_path / "p.distc")
    entry = read_entry(artifact, "main")
    text = plan(entry, artifact.manifest.entry("main"), 900)
    page = Page(text)
    assert "The 5 cheapest rows are left out" in text
    assert [t for t in page.text if t in ("mlp:exponential", "mlp.up:dot_general", "x")] == [
        "mlp.up:dot_general",
        "mlp:exponential",
    ]


def test_a_row_of_the_plan_stands_under_its_heads(tmp_path: Path) -> None:
    compiled(tmp_path).save(tmp_path / "p.distc")
    artifact = artifacts.read(tmp_path / "p.distc")
    page = Page(plan(read_entry(artifact, "main"), artifact.manifest.entry("main"), 1 << 20))
    texts = [t for t in page.text if t.strip()]
    heads = texts[texts.index("name") : texts.index("costs more") + 1]
    start = texts.index("mlp.down:dot_general")
    row = dict(zip(heads, texts[start:], strict=False))
    assert row == {
        "name": "mlp.down:dot_general",
        "kind": "dot_general",
        "value": "f32[8,2048]",
        "sharding": "[R, R] P(sum: tensor)",
        "work": "14.1 µs",
        "conversions": "0 s",
        "line": "model.py:5:9",
        "next best": "[S(data), R] P(sum: tensor)",
        "costs more": "+11.8 µs",
    }


def test_plain_text_is_escaped_and_markup_is_not() -> None:
    assert escape("<b>") == "&lt;b&gt;" and escape(Markup("<b>")) == "<b>"
    assert tag("td", "<", title='"') == '<td title="&quot;">&lt;</td>'
    assert join(["<", tag("i", "x")]) == "&lt;<i>x</i>"


def test_liveness_counts_values_from_made_to_last_read() -> None:
    found = liveness(reduced())
    assert found.arguments == 32
    # 1 is read by call 1; 2 lives on as the view 3 until call 3; 4 is returned.
    assert found.values == (32, 64, 32, 64)
    assert (found.peak, found.peak_call) == (96, 1)
    assert [a.made_by for a in found.at_peak] == [0, 1]


def test_liveness_of_regions_counts_their_fullest_moment() -> None:
    body = reduced()
    call = Call("control.while", (Ref(0),), {}, (1,), (LOCAL,), regions=(body, body))
    assert liveness(Program((LOCAL,), (call,), (1,))).values == (32 + 64,)


def test_a_collective_knows_its_axes_bytes_and_ends() -> None:
    (found,) = collectives(reduced("m.py:3:1 in net.up"), MESH)
    assert (found.kind, found.axes, found.bytes_, found.ranks) == ("all_reduce", "tensor", 32, 2)
    assert found.made == Place("m.py:3:1", "net.up")
    assert found.wanted == Place("m.py:3:1", "net.up")
    (nowhere,) = collectives(reduced(""), MESH)
    assert nowhere.wanted == Place("m.py:9:9", "end")


@pytest.mark.parametrize(
    ("groups", "axes"),
    [
        (((0, 1), (2, 3)), "tensor"),
        (((0, 2), (1, 3)), "data"),
        (((0, 1, 2, 3),), "data,tensor"),
        (((0, 3), (1, 2)), "2 ranks"),
    ],
)
def test_axes_of_groups(groups: tuple[tuple[int, ...], ...], axes: str) -> None:
    assert axes_of(groups, MESH) == axes


@pytest.mark.parametrize("kind", [k for k in StepKind if k not in ("all_slice", "to_partial")])
def test_what_ranks_send_adds_up(kind: StepKind) -> None:
    groups = ((0, 2, 1), (3, 4, 5))
    if kind is StepKind.PERMUTE:
        groups = ((0, 1), (1, 2), (2, 0), (3, 3))  # type: ignore[assignment]
    nowhere = Place("", "")
    found = Collective(0, kind, groups, "", "f32", (3,), 12, nowhere, nowhere, False)
    sent = traffic([found])
    senders = {a for a, _ in sent}
    for rank in senders:
        assert sum(b for (a, _), b in sent.items() if a == rank) == found.wire_bytes
    assert senders == ({0, 1, 2} if kind is StepKind.PERMUTE else set(range(6)))
    if kind is StepKind.ALL_REDUCE:
        assert sent[0, 2] == 2 * 12 * 2 / 3 and (0, 1) not in sent
    if kind is StepKind.ALL_TO_ALL:
        assert sent[0, 1] == sent[0, 2] == 4


def test_classes_add_up_to_the_cost(tmp_path: Path) -> None:
    compiled(tmp_path).save(tmp_path / "p.distc")
    artifact = artifacts.read(tmp_path / "p.distc")
    problem = read_entry(artifact, "main").problem
    assert problem is not None
    found = by_class(problem)
    assert sum(ticks for _, ticks in found.values()) == problem.solution.cost
    assert found["contraction"][0] == 2 and found["conversions"][1] > 0
    text = build_report(artifact)
    assert "mlp.down:dot_general" in text and "model.py:5:9" in text
    assert build_report(artifact) == text
