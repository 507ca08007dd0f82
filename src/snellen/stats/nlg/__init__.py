"""Caption metrics: how near an explanation is to those that people wrote. Without Java, equal to the toolkits' values.

`score` gives BLEU-1..4, ROUGE-L and CIDEr, `with_intervals` adds their intervals, `missing` names the metrics that are not available,
and `e_vil` combines them.
"""

from snellen.stats.nlg.e_vil import EVilScores, e_vil
from snellen.stats.nlg.extras import meteor_with_interval, missing
from snellen.stats.nlg.scores import METRICS, CorpusValue, score, with_intervals
from snellen.stats.nlg.tokens import tokenise

__all__ = [
    "METRICS",
    "CorpusValue",
    "EVilScores",
    "e_vil",
    "meteor_with_interval",
    "missing",
    "score",
    "tokenise",
    "with_intervals",
]
