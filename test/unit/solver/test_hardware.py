"""Hardware files, and the seconds of collectives on groups within and across nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from distc.dialect.mesh import AxisRef, Mesh
from distc.runtime.errors import ConfigError, MissingFile
from distc.solver.collective_cost import Group, StepKind, collective_seconds, group_of
from distc.solver.hardware import FOLDER, load_hardware, shipped

MESH = Mesh.of(node=2, gpu=8)
NODE, GPU = AxisRef("node"), AxisRef("gpu")


def test_shipped_files_can_be_read() -> None:
    assert {"h100-8x", "h200-8x", "a100-8x", "v100-8x", "cpu", "generic"} <= set(shipped())
    for name in shipped():
        machine = load_hardware(name)
        assert machine.name == name
        assert machine.device.bytes_per_second >= machine.node.bytes_per_second


def test_vendor_figures() -> None:
    machine = load_hardware("h100-8x")
    assert (machine.memory_bytes, machine.devices_per_node) == (80_000_000_000, 8)
    assert machine.flops_per_second("bf16") == pytest.approx(989.4e12 * machine.efficiency)
    assert machine.flops_per_second("i32") == machine.flops_per_second("f32")


@pytest.mark.parametrize(
    ("axes", "group"),
    [
        ((GPU,), Group(8, 8)),
        ((NODE,), Group(2, 1)),
        ((NODE, GPU), Group(16, 8)),
        ((NODE, AxisRef("gpu", 2, 4)), Group(8, 4)),
    ],
)
def test_groups(axes: tuple[AxisRef, ...], group: Group) -> None:
    assert group_of(MESH, axes, 8) == group


def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather() -> None:
    machine, bytes_ = load_hardware("h100-8x"), 1e9
    whole = collective_seconds(StepKind.ALL_REDUCE, MESH, (GPU,), bytes_, machine)
    halves = sum(
        collective_seconds(kind, MESH, (GPU,), bytes_, machine)
        for kind in (StepKind.REDUCE_SCATTER, StepKind.ALL_GATHER)
    )
    assert whole == pytest.approx(halves - machine.device.base_seconds)
    assert whole == pytest.approx(2 * 1e9 * 7 / 8 / 450e9, rel=0.05)


def test_two_levels_beat_one_ring_across_nodes_on_the_slow_part() -> None:
    machine, bytes_ = load_hardware("v100-8x"), 1e9
    across = collective_seconds(StepKind.ALL_GATHER, MESH, (NODE,), bytes_ / 8, machine)
    ring = collective_seconds(StepKind.ALL_GATHER, MESH, (NODE, GPU), bytes_, machine)
    assert across < ring


def test_unknown_hardware_names_the_known() -> None:
    with pytest.raises(MissingFile) as caught:
        load_hardware("h101")
    assert "h100-8x" in (caught.value.help or "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("f32 = 67e12", "", "has no f32"),
        ("[links.node]", "[links.other]", "has no links.node"),
        ("bytes = 80e9", "bytes = -1.0", "not positive"),
        ("devices_per_node = 8", "devices = 8", "not a hardware file"),
        ("devices_per_node = 8", "= 8", "not a hardware file"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((FOLDER / "h100-8x.toml").read_text().replace(old, new))
    with pytest.raises(ConfigError, match=message):
        load_hardware(str(path))
