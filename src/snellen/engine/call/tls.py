"""TLS: the trusted certificates (the system's, or those of SSL_CERT_FILE and SSL_CERT_DIR), and a client certificate."""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Mapping
from pathlib import Path

from snellen.core.errors import SnellenError

NATIVE = ("darwin", "win32")
"""Systems that keep their certificates where OpenSSL does not look. truststore reads them there. Elsewhere it would read all files again at
every connection (20 ms), with the same result.
"""
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
)
"""Usual places of the certificates in distributions, for a Python whose OpenSSL was built to look elsewhere."""


def make_context(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> ssl.SSLContext:
    """Return a context that trusts the certificates of the system or the environment, with the client certificate if there is one."""
    context = _trusting(environment, platform)
    certificate, key = environment.get("SNELLEN_CLIENT_CERT"), environment.get("SNELLEN_CLIENT_KEY")
    if key and not certificate:
        raise SnellenError("SNELLEN_CLIENT_KEY is set, and SNELLEN_CLIENT_CERT is not: a key needs its certificate")
    for variable, path in (("SNELLEN_CLIENT_CERT", certificate), ("SNELLEN_CLIENT_KEY", key)):
        if path and not Path(path).is_file():
            raise SnellenError(f"{variable} names {path}, which is not a file")
    if certificate:
        try:
            context.load_cert_chain(certificate, key or None, password=_no_password)
        except (ssl.SSLError, OSError, ValueError):
            raise SnellenError(
                f"SNELLEN_CLIENT_CERT ({certificate}) and its key are not a certificate with an unencrypted key in PEM form"
            ) from None
    return context


def _trusting(environment: Mapping[str, str], platform: str) -> ssl.SSLContext:
    named = False
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        if path := environment.get(variable):
            named = True
            if not Path(path).exists():
                raise SnellenError(f"{variable} names {path}, which does not exist")
    if platform in NATIVE and not named:
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context()
    known = ssl.get_default_verify_paths()
    if not named and not known.cafile and not (known.capath and any(Path(known.capath).glob("*.0"))):
        bundle = next((b for b in BUNDLES if Path(b).is_file()), None)
        if bundle is not None:
            context.load_verify_locations(bundle)
    return context


def _no_password() -> str:
    """Replace OpenSSL's password prompt on the terminal."""
    raise ValueError("the key is encrypted")


def explain(error: ssl.SSLError) -> str:
    """Return why a TLS connection failed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the certificate is not trusted: {error.verify_message}; SSL_CERT_FILE can name an authority of your own"
        )
    return error.reason or str(error)
