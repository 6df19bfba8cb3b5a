"""What was seen of Home Assistant, held against what was promised.

Pure: each function takes observations and gives sentences, none if all is well.
"""

# Who asks to disarm without a code is told so by Home Assistant itself, in its log too: that is what the run wanted.
WANTED_COMPLAINTS = ("Wrong code entered for",)
# What makes a record of its log ours: the integration that reads us, our names, and templates, which only we bring.
OURS = ("mqtt", "howalarming", "alarm_control_panel", "template", "mill lane", "mill_lane")


def is_ours(record):
    text = record.lower()
    return any(word in text for word in OURS) and not any(word in record for word in WANTED_COMPLAINTS)


def complaints(records):
    """Records of its log, warnings and worse."""
    return [f"its log complains about us: {record.splitlines()[0][:240]}" for record in records if is_ours(record)]


def announced(wanted, seen):
    """`wanted`: key to (platform, name, …) as announced. `seen`: entity to (platform, name, state)."""
    if not wanted:
        return ["nothing is announced at the broker"]
    left = [(one[0], one[1]) for one in seen.values()]
    sentences = []
    for key, part in sorted(wanted.items()):
        if (part[0], part[1]) in left:
            left.remove((part[0], part[1]))
        else:
            sentences.append(f"{key} ({part[0]}, '{part[1]}') was announced and is no entity")
    return sentences + [f"'{name}' ({platform}) is an entity and was not announced" for platform, name in sorted(left)]


def named(wanted, keys):
    """What the configuration names has to be among what was announced."""
    return [f"{key} is named in the configuration and not announced" for key in wanted if key not in keys]


def is_unknown(line):
    return line.endswith((" Unknown", " Unavailable"))


def page(rows, names):
    """`rows`: entity to its line on the device's page. `names`: entity to its name there, of all that we announced."""
    sentences = []
    for entity, name in sorted(names.items()):
        line = rows.get(entity, "")
        if not line.startswith(name):
            sentences.append(f"'{name}' has no line on the device's page" if not line else f"'{name}' is there as '{line}'")
        elif is_unknown(line):
            sentences.append(f"on the device's page stands '{line}'")
        elif line == name and not entity.startswith("switch."):
            sentences.append(f"'{name}' has no state on the device's page")
    return sentences + [f"'{line}' is on the device's page and no entity of ours"
                        for entity, line in sorted(rows.items()) if entity not in names]


def went(states, wanted):
    """The states that an entity went through, all of them."""
    if list(states) == list(wanted):
        return []
    return [f"went {' → '.join(states) or 'nowhere'} instead of {' → '.join(wanted)}"]


def never(states, forbidden):
    """None of them, not for a millisecond: an automation would have fired."""
    return [f"was '{state}' again" for state in states if state in forbidden]


def stays(states, state_now, wanted):
    """Nothing happened, and it is as it was."""
    sentences = [f"went to '{state}'" for state in states]
    return sentences + ([] if state_now == wanted else [f"is '{state_now}' instead of '{wanted}'"])


def are(wanted, seen):
    """`wanted` and `seen`: entity to state."""
    return [f"{entity} is '{seen.get(entity, 'gone')}' instead of '{state}'"
            for entity, state in sorted(wanted.items()) if seen.get(entity, "gone") != state]


def gone(names, seen):
    """`names` of entities that must not be any more."""
    return [f"{entity} ('{one[1]}') is still there, as '{one[2]}'"
            for entity, one in sorted(seen.items()) if one[1] in names]


def taken(answer):
    """What Home Assistant said to an action."""
    return [f"Home Assistant refused it: {answer}"] if answer else []


def answered(what, answer, kinds, word=""):
    """The box's answer to a command: of one of these kinds, in words, and the word is somewhere in it."""
    if not answer:
        return [f"{what}: nothing was told"]
    kind = answer.get("event_type")
    sentences = [] if kind in kinds else [f"{what} was told as '{kind}'"]
    sentences += [] if answer.get("text") else [f"{what}: nothing was said in words"]
    return sentences + ([] if word in str(answer) else [f"{what}: '{word}' was not named"])


def at_home_assistant(platform, value):
    """The state that it shows for a value of ours; None is what is not known."""
    if value is None:
        return "unknown"
    return {"ON": "on", "OFF": "off"}.get(value, value) if platform == "binary_sensor" else value
