#!/usr/bin/env python3
"""Holds the schema of scene files against scenes: test/cli/schema.py SCHEMA SCENE...

The schema must be a valid one (draft 2020-12), take every SCENE as it is, and refuse each of them after some key was spoilt.
"""

import copy
import json
import sys

import jsonschema
import yaml

WRONG = [  # where, and what to put there
    (("cleave",), 2),
    (("until",), -1),
    (("until",), "soon"),
    (("until",), None),
    (("mesh",), []),
    (("mesh",), {"grid": "hex", "file": "x.msh"}),
    (("mesh",), {"grid": "dodecahedron"}),
    (("mesh",), {"grid": "hex", "cells": [1, 0, 1]}),
    (("mesh",), {"grid": "hex", "cells": [1]}),
    (("mesh",), {"file": "x.msh", "cells": [1, 1, 1]}),
    (("material",), {"yuong": 1}),
    (("material",), {"young": 0}),
    (("material",), {"young": "5 kg"}),
    (("material",), {"poisson": 1}),
    (("model",), "jelly"),
    (("model",), {"params": {"k": 1}}),
    (("fix",), [{"box": [[0, 0, 0], [1, 1]]}]),
    (("fix",), [{"box": [[0, 0, 0], [1, 1, 1]], "nearest": [0, 0, 0]}]),
    (("fix",), [{"nearest": [0, 0, 0], "axes": "xx"}]),
    (("move",), [{"nearest": [0, 0, 0]}]),
    (("gravity",), [0, 0]),
    (("solver",), {"method": "magic"}),
    (("solver",), {"step": 0}),
    (("solver",), {"iterations": 1.5}),
    (("events",), [{"gravity": [0, 0, 0]}]),
    (("events",), [{"at": 1}]),
    (("events",), [{"at": 1, "cut": {"box": [[0, 0, 0], [1, 1, 1]], "surface": "wall.stl"}}]),
    (("events",), [{"at": 1, "cut": {"particles": []}}]),
    (("events",), [{"at": 1, "knife": {"edge": [[0, 0, 0], [1, 1, 1]]}}]),
    (("events",), [{"at": 1, "slice": {"blade": {"edge": [[0, 0, 0], [1, 1, 1]]}}}]),
    (("events",), [{"at": 1, "pierce": {"plane": {"point": [0, 0, 0], "normal": [1, 0, 0]}}}]),
    (("output",), {"formats": ["png"]}),
    (("output",), {"probes": {"a b": {"nearest": [0, 0, 0]}}}),
    (("threads",), 0),
    (("bodies",), {"a": {"mesh": "x.msh"}}),
    (("nonsense",), 1),
]


def spoil(scene, where, value):
    spoilt = copy.deepcopy(scene)
    for key in where[:-1]:
        spoilt = spoilt[key]
    if value is None:
        spoilt.pop(where[-1], None)
    else:
        spoilt[where[-1]] = value
    return spoilt


def main():
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    for path in sys.argv[2:]:
        scene = yaml.safe_load(open(path))
        for error in validator.iter_errors(scene):
            print(f"{path}: {list(error.absolute_path)}: {error.message[:300]}")
            bad += 1
        for where, value in WRONG:
            if "mesh" in scene and validator.is_valid(spoil(scene, where, value)):
                print(f"{path}: the schema takes {'.'.join(where)}: {value}")
                bad += 1
    sys.exit(1 if bad or len(sys.argv) < 3 else 0)


main()
