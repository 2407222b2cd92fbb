// The table of keys: the one place that knows what may stand in a scene.
//
// A group is a mapping with certain keys; a key has a name, a type, a unit, a range, a default, an example and a
// sentence. Reading, the messages, the suggestions for misspelt words, the reference in docs/scenes.md, the schema and
// the tests of wrong scenes all follow from it; none of them names a key.

#ifndef SCENE_KEY_H
#define SCENE_KEY_H

#include "scene/parts.h"
#include "scene/quantity.h"

typedef enum scene_type {
  SCENE_REAL,       // double
  SCENE_WHOLE,      // uint32_t
  SCENE_BOOL,       // bool
  SCENE_TEXT,       // const char *
  SCENE_TEXTS,      // scene_texts: a list of them, or one
  SCENE_WORD,       // uint32_t: which of the words
  SCENE_WORDS,      // uint32_t: a bit for each word of a list
  SCENE_AXES,       // uint32_t: CLV_X ...; letters out of xyz
  SCENE_VECTOR,     // double[3]
  SCENE_EXTENT,     // double[3]: like a vector; the third may be missing, and is 0 then
  SCENE_COUNTS,     // uint32_t[3]: likewise
  SCENE_CORNERS,    // double[2][3]
  SCENE_SEGMENT,    // double[2][3]: two points that are not the same
  SCENE_POINTS,     // scene_points: [x, y, z] ...
  SCENE_PATH,       // scene_path: [time, [x, y, z]] ...
  SCENE_REGION,     // scene_region: a name or a tag
  SCENE_PARAMETERS, // scene_parameters: names with numbers
  SCENE_GROUP,      // a struct: one mapping
  SCENE_LIST,       // scene_list: a list of mappings, or one
  SCENE_NAMED,      // scene_list: names with mappings
  SCENE_TYPE_COUNT
} scene_type;

typedef enum scene_need {
  SCENE_OPTIONAL,
  SCENE_REQUIRED,
  SCENE_CHOICE, // one of the group's choices must be given, and no more
} scene_need;

typedef struct scene_range {
  double least, greatest;
  bool above, below; // the bound itself does not belong to it
} scene_range;

typedef struct scene_group scene_group;

typedef struct scene_key {
  const char *name;
  scene_type type;
  scene_need need;
  size_t offset;           // in the struct of its group
  scene_quantity quantity; // of real numbers; of a path's values
  scene_range range;       // of numbers; {0} for any
  const char *special;     // a word that may stand for a number ...
  double special_value;    // ... and the number
  const char *(*word)(uint32_t i);
  const scene_group *group;
  const char *with;    // the key that it makes sense with, or NULL
  const char *without; // the default, as it would be written; NULL: none
  const char *example;
  const char *what;
} scene_key;

struct scene_group {
  const char *name; // for the reference and the schema
  const char *what;
  const char *shorthand; // the key that is meant where a plain word or number stands for the mapping; NULL: none
  const char *instead;   // the key that will do where no choice is made; NULL: none
  size_t size;           // of the struct
  const scene_key *keys; // ended by one without a name; no more than 64
};

// What a scene file is; every other group is reached from here.
extern const scene_group scene_group_root;
// For those that inherit.
extern const scene_group scene_group_material;

// The number of a key in its group; the group has it.
uint32_t scene_key_number(const scene_group *group, const char *name);
bool scene_given(const scene_part *part, const scene_group *group, const char *name);

// All groups, each once, in the order in which the root reaches them. NULL past the last.
enum { SCENE_GROUPS = 40 };
uint32_t scene_group_all(const scene_group *groups[SCENE_GROUPS]);

#endif
