"""Full descriptions of scenes, for models that learn to look: a sentence for every person and thing."""

from __future__ import annotations

from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.words import a, sentence, setting, terms


def _about(item: Person | Thing) -> str:
    """Return one sentence with all that matters about a person or a thing."""
    words = terms(item)
    some, where, be, state, facing = (words.get(name, "") for name in ("some", "where", "be", "state", "facing"))
    if isinstance(item, Person):
        return sentence(f"{some} is {words['doing']} {where}{f', facing {facing}' if facing else ''}")
    if item.inside is not None:
        some += f" with {a(item.inside)} ball inside"
    part = item.sort.part
    if part is not None and facing:
        return sentence(f"{some} {where} with its {part} {state} is facing {facing}")
    if part is not None:
        return sentence(f"{some} {where} has its {part} {state}")
    said = " and ".join(filter(None, (state, facing and f"facing {facing}")))
    return sentence(f"{some} {where} {be} {said}" if said else f"{some} {be} {where}")


def caption(scene: Scene) -> str:
    """Return the full description: the place, then a sentence for every person and thing."""
    return " ".join((sentence(setting(scene)), *(_about(item) for item in scene.items())))
