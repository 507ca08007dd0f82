"""VQA-X, ACT-X, e-SNLI-VE and VCR: answer and explain. Four exams that share one implementation.

In the order in which a sample passes: `exam` (the four objects) · `data` with `formats/` (folders, files, records) and `check` · `prompts`
with `boxes` (drawn on VCR's images) · `reading/` (reply to answer and explanation) · `marking/` (what counts as the same answer) ·
`entropy/` (the entropy of each word) · `protocols` with `summary` (metrics, floors, scores of whole splits) · `exports/` · `gallery`.
`names` has the vocabulary, `vqa_official` the VQA normalisation that many of these use, `rows` the rows of `snellen mark`.
"""
