# docker build -t snellen . && docker run --rm -v "$PWD:/work" snellen demo
# The base is named by its Debian release, because the packages below (OpenCV needs them, for the method 'ocr') have other names in the next one.
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgl1=1.* libglib2.0-0=2.* \
    && rm -rf /var/lib/apt/lists/*

COPY pyproject.toml constraints.txt README.md LICENSE /srv/snellen/
COPY src /srv/snellen/src
RUN pip install --no-cache-dir --disable-pip-version-check -c /srv/snellen/constraints.txt '/srv/snellen[ocr,hub,view,import]'

RUN useradd --create-home --uid 1000 snellen && mkdir /work && chown snellen /work
USER 1000
WORKDIR /work
ENTRYPOINT ["snellen"]
CMD ["--help"]
