# docker build -t snellen . && docker run --rm -v "$PWD:/work" snellen demo
FROM python:3.11-slim-bookworm

COPY pyproject.toml constraints.txt README.md LICENSE /srv/snellen/
COPY src /srv/snellen/src
RUN pip install --no-cache-dir --disable-pip-version-check -c /srv/snellen/constraints.txt '/srv/snellen[ocr,hub,view,import]'

RUN useradd --create-home --uid 1000 snellen && mkdir /work && chown snellen /work
USER 1000
WORKDIR /work
ENTRYPOINT ["snellen"]
CMD ["--help"]
