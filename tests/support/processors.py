"""Settings that make numpy and its matrix routines work as they do on older x86 processors."""

OTHER_PROCESSORS = {
    "of 2013": {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "AVX512_ICL X86_V4"},
    "of 2008": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX512_ICL X86_V4 X86_V3"},
}
