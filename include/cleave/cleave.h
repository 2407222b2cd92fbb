// All of Cleave's public interface.

#ifndef CLEAVE_CLEAVE_H
#define CLEAVE_CLEAVE_H

#include "cleave/base.h"
#include "cleave/embed.h"
#include "cleave/io.h"
#include "cleave/map.h"
#include "cleave/mesh.h"
#include "cleave/rule.h"
#include "cleave/view.h"

#endif
