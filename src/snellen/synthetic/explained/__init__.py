"""Scenes with questions, answers and explanations: VQA-X, ACT-X, e-SNLI-VE and VCR."""
