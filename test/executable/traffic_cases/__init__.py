"""Training programs under the cuts people use, by family."""

from executable.traffic_cases import attention, images, losses, movement, norms, pools, routing

FAMILIES = {
    "Losses and embeddings": losses.CASES,
    "Convolutions": images.CASES,
    "Pools": pools.CASES,
    "Normalisations and statistics": norms.CASES,
    "Attention and feed-forward layers": attention.CASES,
    "Movement and reshapes": movement.CASES,
    "Look-ups, graphs and experts": routing.CASES,
}
CASES = tuple(case for cases in FAMILIES.values() for case in cases)
