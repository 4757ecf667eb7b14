"""What pt2triage knows about the words of PyTorch's compiler, without a network.

The data lies beside this file, one JSON file for each kind of word: facts such as
names, types and versions are PyTorch's, the sentences are ours. Categories and
causes come from the C++ core, which judges by the same tables.
"""

from pt2triage.knowledge._lookup import close_words, explain, words
from pt2triage.knowledge._model import KINDS, VERSIONS, Explanation

__all__ = ("KINDS", "VERSIONS", "Explanation", "close_words", "explain", "words")
