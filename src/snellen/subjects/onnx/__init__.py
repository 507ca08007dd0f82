"""Small models that run here on ONNX Runtime, without torch and transformers (`onnx/NAME`, extra `onnx`)."""
