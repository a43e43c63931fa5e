"""Operations that no program of one tensor function per rank can run, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an operation is refused, and what to do instead."""

    reason: str
    help: str


_HOST = "make the value an argument or a result of the function"
_QUANTIZED = Refusal(
    "quantized types are rewritten as integers before",
    "run the pass legalize-quantized; `distc compile` does",
)

REFUSALS: dict[str, Refusal] = {
    "stablehlo.infeed": Refusal("a program has no queue that a host fills while it runs", _HOST),
    "stablehlo.outfeed": Refusal("a program has no queue that a host empties while it runs", _HOST),
    "stablehlo.recv": Refusal(
        "a channel names one sender and one receiver, and all ranks run the same program",
        "between ranks, use collective_permute; from the host, an argument",
    ),
    "stablehlo.send": Refusal(
        "a channel names one sender and one receiver, and all ranks run the same program",
        "between ranks, use collective_permute; to the host, a result",
    ),
    "stablehlo.uniform_dequantize": _QUANTIZED,
    "stablehlo.uniform_quantize": _QUANTIZED,
}
