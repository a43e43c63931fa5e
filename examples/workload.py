"""What the main job computes: prompts, sentences, sizes, tolerances, folders. Imports nothing."""

from __future__ import annotations

from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"
SMOLLM2 = BUILD / "smollm2"
MINILM = BUILD / "minilm"

# Both take more than NEW_TOKENS tokens to answer, so no text ends early; their lengths differ, so
# the rows of the batch of two stand at different positions.
PROMPTS = ("Why is the sky blue?", "Write a short story about a robot.")
NEW_TOKENS = 32
# Prompt (36 and 38 tokens under the chat template) and answer, rounded up to a multiple of eight.
# The model is causal: what stands right of a position never changes its logits, so one program of
# this fixed length gives exactly the logits of every shorter text.
SEQUENCE = 72

SENTENCES = (
    "A compiler splits the model over several machines.",
    "The network is distributed across many devices.",
    "Every rank holds only a slice of the weights.",
    "The soup needs a little more salt.",
)
SENTENCE_LENGTH = 16

LOGITS_TOLERANCE = 2e-4
EMBEDDING_TOLERANCE = 1e-5
ABSOLUTE_TOLERANCE = 1e-6
