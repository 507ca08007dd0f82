"""How near an explanation is to those that people wrote: caption metrics without Java, equal to the toolkits' values.

`score` gives BLEU-1..4, ROUGE-L and CIDEr; `missing` says which others there are not; `e_vil` combines them.
"""

from snellen.stats.nlg.e_vil import EVil, e_vil
from snellen.stats.nlg.extras import meteor, missing
from snellen.stats.nlg.scores import METRICS, corpus_and_each, score
from snellen.stats.nlg.tokens import tokenise

__all__ = ["METRICS", "EVil", "corpus_and_each", "e_vil", "meteor", "missing", "score", "tokenise"]
