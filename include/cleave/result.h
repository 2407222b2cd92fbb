// Results: what a run leaves behind, for other programs to open.
//
// A recorder belongs to a world and a directory. It is told after each step and writes what is due:
//
//     BODY.pvd, BODY_000000.vtu ...  a series for ParaView, one file a frame, topology as it is then
//     BODY.vtkhdf                    the same in one HDF5 file (VTKHDF, UnstructuredGrid with steps)
//     energies.csv, probes.csv       a line a step (or as often as is asked)
//     checkpoint.h5                  what is needed to go on; replaced at once or not at all
//     run.json                       what was run, with which version, and how it ended
//
// Frames have on points: displacement, velocity, held; on cells: stress (6 numbers), von_mises, strain (6), energy,
// region, and the model's number. A frame is on the disk before the next begins; what a killed run leaves can be
// opened.

#ifndef CLEAVE_RESULT_H
#define CLEAVE_RESULT_H

#include "cleave/world.h"

CLV_BEGIN_DECLS

typedef struct clv_recorder clv_recorder;

// A place to watch: the mean over the particles of a zone. Columns in probes.csv: NAME.x .y .z (position), NAME.dx .dy
// .dz (displacement), NAME.vx .vy .vz (velocity), NAME.fx .fy .fz (the force that acts on held particles, summed).
// Scalpels on the timetable have columns there, too: scalpel1.x .y .z (their point), .fx .fy .fz (the force on the
// tool), .stress (of an attempt to cut, 0 without one).
typedef struct clv_probe {
  const char *name;
  uint32_t body;
  clv_zone zone;
} clv_probe;

typedef struct clv_recorder_def {
  const char *directory; // created where it is missing
  const char *title;
  bool vtu, vtkhdf;
  double frame_every;      // s of simulated time; 0: every step; INFINITY: first and last only
  double row_every;        // s: of the CSV files; 0: every step
  double checkpoint_every; // s of simulated time; INFINITY: at the end only
  const clv_probe *probes; // copied
  uint32_t probe_count;
  const char *scene; // text of the scene, kept in checkpoints so that a run cannot be resumed with another; may be NULL
  uint32_t threads;
  clv_allocator allocator;
} clv_recorder_def;

// VTU alone, 25 frames a second, a row a step, a checkpoint at the end, one thread.
CLV_API clv_recorder_def clv_default_recorder_def(void);
// Starts a new run in the directory (what an earlier run left there under these names is replaced) and records the
// present state. The world outlives the recorder. NULL on failure.
CLV_API clv_recorder *clv_recorder_create(clv_world *world, const clv_recorder_def *def, clv_error *error);
// Goes on with the run in the directory: loads its checkpoint into the world, which must not have stepped, and takes
// back what was written behind it.
CLV_API clv_recorder *clv_recorder_resume(clv_world *world, const clv_recorder_def *def, clv_error *error);
// After each step.
CLV_API clv_result clv_recorder_step(clv_recorder *recorder, clv_error *error);
// Writes the last frame, a checkpoint and run.json, and closes everything. `how` says how the run ended: "finished",
// "interrupted", "failed: ...". The recorder is gone then, whatever the result.
CLV_API clv_result clv_recorder_close(clv_recorder *recorder, const char *how, clv_error *error);

// One frame of one body as a flat mesh with the fields above.
CLV_API clv_result clv_frame_extract(clv_mesh *mesh, const clv_world *world, uint32_t body, clv_error *error);

// Checkpoints alone: written beside the path and moved there when complete.
CLV_API clv_result clv_checkpoint_write(clv_world *world, const char *path, const char *scene, clv_error *error);
CLV_API clv_result clv_checkpoint_read(clv_world *world, const char *path, const char *scene, clv_error *error);

// What a run has left in its directory, to be looked at: the frames that all of its bodies have, by its PVD files.
// While the run goes on, there are those that were there when it was opened. NULL on failure; `allocator` may be NULL.
typedef struct clv_series clv_series;
CLV_API clv_series *clv_series_open(const char *directory, const clv_allocator *allocator, clv_error *error);
CLV_API void clv_series_close(clv_series *series);
CLV_API uint32_t clv_series_bodies(const clv_series *series);
CLV_API const char *clv_series_body_name(const clv_series *series, uint32_t body);
CLV_API uint32_t clv_series_frames(const clv_series *series);
CLV_API double clv_series_time(const clv_series *series, uint32_t frame);
CLV_API clv_result clv_series_read(const clv_series *series, uint32_t frame, uint32_t body, clv_mesh *mesh,
                                   clv_error *error);

// Draws columns of a CSV file over its first one, a panel for each quantity (energies apart from momenta), with units
// by the names that this header gives; quantities that are zero throughout only when their columns are named. SVG or
// PNG by the ending of `path`, which is replaced. A wrong file: "file:line: what".
typedef struct clv_plot_def {
  const char *title;          // NULL: none
  const char *const *columns; // names; NULL for all
  uint32_t column_count;
  uint32_t width, height; // pixels; height 0: as the panels need
  clv_allocator allocator;
} clv_plot_def;
// No title, all columns, 960 pixels wide.
CLV_API clv_plot_def clv_default_plot_def(void);
CLV_API clv_result clv_plot_csv(const char *csv, const char *path, const clv_plot_def *def, clv_error *error);

CLV_END_DECLS

#endif
