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

# Generation from a cache: both prompts are answered in more than CACHED_TOKENS tokens. The cache is
# as long as prompt and answer, rounded up; prompts are read CHUNK tokens at a time.
CACHED_TOKENS = 64
CACHED_SEQUENCE = 104
CHUNK = 16
# Without a cache every token costs a run over all positions, so a few tell the speed.
RECOMPUTED_TOKENS = 8

# Fine-tuning: the language reference that ships with Python, in order.
TEXT_CHARACTERS = 1 << 16
STEPS = 20
BATCH = 4
TRAIN_SEQUENCE = 64
LEARNING_RATE = 3e-5
WARMUP = 5
WEIGHT_DECAY = 0.01
LOSS_TOLERANCE = 1e-4
CONTINUED = "The assert statement is used to"
CONTINUED_TOKENS = 32
