// All of Cleave's public interface.

#ifndef CLEAVE_CLEAVE_H
#define CLEAVE_CLEAVE_H

#include "cleave/base.h"
#include "cleave/embed.h"
#include "cleave/io.h"
#include "cleave/live.h"
#include "cleave/map.h"
#include "cleave/mesh.h"
#include "cleave/physics.h"
#include "cleave/picture.h"
#include "cleave/result.h"
#include "cleave/rule.h"
#include "cleave/scene.h"
#include "cleave/solve.h"
#include "cleave/surgery.h"
#include "cleave/view.h"
#include "cleave/world.h"

#endif
