"""Models behind an API: what all providers share.

`service.py` says where a service is and which key it takes, `settings.py` what a user asks of a model, `format.py` what a wire format is
(one file a provider, beside this folder), `subject.py` puts them together, `kind.py` makes it a prefix of `--model`. `reading.py` has
the bounded readers of what servers send, `refusals.py` tells which parameter an error is about.
"""
