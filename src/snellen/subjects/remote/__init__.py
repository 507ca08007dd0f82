"""Models behind an API: the code that all providers share.

`service.py` describes a service's address and key, `settings.py` the user's settings for a model, `format.py` a wire format
(one file a provider, beside this folder). `subject.py` puts them together, and `kind.py` makes a prefix of `--model` of it.
`reading.py` has the bounded readers of server responses, `refusals.py` tells which parameter an error is about.
"""
