"""VQA-X, ACT-X, e-SNLI-VE and VCR: answer, and say why."""
