// Charts: axes, tables, what is drawn of them, and what is refused.

#include "cleave/result.h"
#include "result/plot_axis.h"
#include "result/plot_csv.h"
#include "support/counting_allocator.h"
#include "support/directory.h"

#include <cairo.h>
#include <locale.h>
#include <math.h>

// Axes

static void axis_is(double least, double greatest, const char *numbers, const char *title) {
  const result_axis axis = result_axis_over(least, greatest, 5, RESULT_WIDE);
  char all[512] = "", text[RESULT_LABEL_SIZE];
  size_t at = 0;
  for (uint32_t k = 0; k < axis.count; k++) {
    result_axis_text(&axis, result_axis_number(&axis, k), text);
    at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", k ? " " : "", text);
  }
  assert_string_equal(all, numbers);
  result_axis_title(&axis, "energy", "J", text);
  assert_string_equal(text, title);
  assert_true(axis.least <= least && axis.greatest >= greatest);
}

static void axes_are_easily_read(void **state) {
  (void)state;
  axis_is(0, 1, "0.0 0.2 0.4 0.6 0.8 1.0", "energy (J)");
  axis_is(-0.0042, 0.011, "−5 0 5 10 15", "energy (mJ)");
  axis_is(0, 0.95e6, "0.0 0.2 0.4 0.6 0.8 1.0", "energy (MJ)");
  axis_is(-3, 1234, "−500 0 500 1000 1500", "energy (J)");
  axis_is(3, 3, "2.6 2.8 3.0 3.2 3.4", "energy (J)");
  axis_is(0, 0, "−1.0 −0.5 0.0 0.5 1.0", "energy (J)");
  axis_is(1, 1.0000004, "1.0000000 1.0000001 1.0000002 1.0000003 1.0000004", "energy (J)");
  axis_is(0, 4e-20, "0 10 20 30 40", "energy (10⁻²¹ J)");
}

static void every_range_has_an_axis(void **state) {
  (void)state;
  for (int low = -280; low <= 280; low += 7) {
    for (int width = -20; width <= 20; width++) {
      const double least = pow(10, low), greatest = least + pow(10, low + width);
      const result_axis axis = result_axis_over(-least, greatest, 6, RESULT_WIDE);
      assert_true(axis.count >= 2 && axis.count <= 14);
      assert_true(isfinite(axis.step) && axis.step > 0 && axis.scale > 0);
    }
  }
}

// Tables

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void numbers_are_read(void **state) {
  const clv_allocator allocator = clv_default_allocator();
  const char *path = in_directory(state, "a.csv");
  result_csv csv;
  write_file(path, "time, \"a b\" ,c\r\n0,1e-3,nan\r\n1, 2 ,-inf\r\n\r\n");
  assert_int_equal(result_csv_read(&csv, path, &allocator, NULL), CLV_OK);
  assert_int_equal(csv.names.count, 3);
  assert_string_equal(csv.names.data[1], "a b");
  assert_int_equal(csv.rows, 2);
  assert_true(result_csv_value(&csv, 0, 1) == 1e-3 && isnan(result_csv_value(&csv, 0, 2)));
  assert_true(result_csv_value(&csv, 1, 2) == -(double)INFINITY);
  result_csv_free(&csv);
}

static void refused(void **state, const char *text, const char *message) {
  char wanted[512];
  clv_error error = {CLV_OK, ""};
  const char *path = in_directory(state, "a.csv");
  write_file(path, text);
  assert_int_equal(clv_plot_csv(path, in_directory(state, "a.svg"), NULL, &error), CLV_ERROR_INPUT);
  snprintf(wanted, sizeof wanted, "%s%s", path, message);
  assert_string_equal(error.message, wanted);
  assert_null(read_text(in_directory(state, "a.svg"), NULL));
}

static void wrong_tables_are_told(void **state) {
  refused(state, "", ":1: names of columns are expected here");
  refused(state, "\n1,2\n", ":1: names of columns are expected here");
  refused(state, "time,,b\n", ":1: column 2 has no name");
  refused(state, "time,b,b\n", ":1: two columns are called 'b'");
  refused(state, "time\n1\n", ":1: has one column alone; there is nothing to draw over it");
  refused(state, "time,a\n", ":2: there are no numbers below the names: nothing to draw");
  refused(state, "time,a\n1,2\n3,\n", ":3: '' is no number (in column 'a')");
  refused(state, "time,a\n1,2\n3,4x\n", ":3: '4x' is no number (in column 'a')");
  refused(state, "time,a\n1,2\n3\n", ":3: has 1 numbers, but line 1 names 2 columns");
  refused(state, "time,a\n1,2,3\n", ":2: has 3 numbers, but line 1 names 2 columns");
  refused(state, "time,a\nnan,2\n", ": the first column has no number to draw over");
  refused(state, "a\xff,b\n1,2\n", ":1: names of columns are UTF-8 text; this is none");
}

// Charts

static char *draw_svg(void **state, const char *text, const clv_plot_def *def) {
  clv_error error = {CLV_OK, ""};
  const char *path = in_directory(state, "energies.csv"), *picture = in_directory(state, "a.svg");
  write_file(path, text);
  if (clv_plot_csv(path, picture, def, &error) != CLV_OK) fail_msg("%s", error.message);
  char *svg = read_text(picture, NULL);
  assert_non_null(svg);
  return svg;
}

static unsigned count(const char *text, const char *word) {
  unsigned found = 0;
  for (const char *at = text; (at = strstr(at, word)); at++) found++;
  return found;
}

static void quantities_have_panels(void **state) {
  clv_plot_def def = clv_default_plot_def();
  def.title = "A <beam> & its \"energies\"";
  char *svg = draw_svg(state,
                       "time,kinetic,tip.x,elastic,tip.fz,momentum.x,angular.z,tip.vy,base.dx,other\n"
                       "0,0,0,0,0,0,0,0,0,0\n1,1,1,1,1,1,1,1,1,1\n",
                       &def);
  assert_non_null(strstr(svg, ">A &lt;beam&gt; &amp; its &quot;energies&quot;<"));
  assert_int_equal(count(svg, "<clipPath"), 8);
  static const char *const labels[] = {">energy (J)<",        ">position (m)<",   ">force (N)<",
                                       ">momentum (kg m/s)<", ">velocity (m/s)<", ">angular momentum (kg m²/s)<",
                                       ">displacement (m)<",  ">time (s)<"};
  for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) assert_int_equal(count(svg, labels[k]), 1);
  free(svg);
}

static void zeros_need_no_panel(void **state) {
  static const char text[] = "time,kinetic,tip.x,tip.fx\n0,0,0,0\n1,0,1,0\n";
  static const char *const columns[] = {"tip.x", "tip.fx"};
  char *svg = draw_svg(state, text, NULL);
  assert_int_equal(count(svg, "<clipPath"), 1);
  assert_non_null(strstr(svg, ">position (m)<"));
  free(svg);
  clv_plot_def def = clv_default_plot_def();
  def.columns = columns;
  def.column_count = 2;
  svg = draw_svg(state, text, &def);
  assert_int_equal(count(svg, "<clipPath"), 2);
  free(svg);
  svg = draw_svg(state, "time,kinetic,tip.x\n0,0,0\n1,0,0\n", NULL);
  assert_int_equal(count(svg, "<clipPath"), 1);
  free(svg);
}

static void gaps_are_not_bridged(void **state) {
  char *svg = draw_svg(state, "time,kinetic\n0,0\n1,1\n2,nan\n3,1\n4,0\n5,nan\n6,0.5\n", NULL);
  const char *panel = strstr(svg, "<g clip-path");
  assert_non_null(panel);
  char *end = strstr(panel, "</g>");
  *end = '\0';
  assert_int_equal(count(panel, "<polyline"), 2);
  assert_int_equal(count(panel, "<circle"), 1);
  free(svg);
}

// A million rows are drawn by what can be seen of them: no extreme is lost.
static void long_tables_are_thinned(void **state) {
  const char *path = in_directory(state, "long.csv"), *picture = in_directory(state, "long.svg");
  FILE *file = fopen(path, "wb");
  fprintf(file, "time,kinetic,elastic\n");
  for (int k = 0; k < 100000; k++) fprintf(file, "%d,%d,%g\n", k, k == 56789, sin(k * 1e-4));
  fclose(file);
  assert_int_equal(clv_plot_csv(path, picture, NULL, NULL), CLV_OK);
  size_t size = 0;
  char *svg = read_text(picture, &size);
  assert_true(size < 20000);
  const char *peak = strstr(strstr(svg, "stroke=\"#0072b2\""), "points=\"");
  double x, y, least = 1e9;
  for (const char *at = peak + 8; *at != '"';) {
    int used;
    assert_int_equal(sscanf(at, "%lf,%lf%n", &x, &y, &used), 2);
    least = fmin(least, y);
    at += used + (at[used] == ' ');
  }
  assert_true(least < 25); // the top of the panel, where 1 is
  free(svg);
}

static void the_order_of_rows_is_free(void **state) {
  char *svg = draw_svg(state, "x,y\n1,0\n0,1\n-1,0\n0,-1\n1,0\n", NULL);
  assert_non_null(strstr(svg, ">x<"));
  free(svg);
}

static void sizes_and_endings_are_tested(void **state) {
  const char *path = in_directory(state, "a.csv");
  clv_error error;
  clv_plot_def def = clv_default_plot_def();
  write_file(path, "time,kinetic\n0,1\n");
  assert_int_equal(clv_plot_csv(path, in_directory(state, "a.pdf"), &def, &error), CLV_ERROR_ARGUMENT);
  def.height = 50;
  assert_int_equal(clv_plot_csv(path, in_directory(state, "a.svg"), &def, &error), CLV_ERROR_ARGUMENT);
  def.height = 0;
  def.width = 100000;
  assert_int_equal(clv_plot_csv(path, in_directory(state, "a.svg"), &def, &error), CLV_ERROR_ARGUMENT);
  def.width = 250;
  assert_int_equal(clv_plot_csv(path, in_directory(state, "a.svg"), &def, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "not wide enough"));
  def.width = 640;
  assert_int_equal(clv_plot_csv(path, in_directory(state, "missing/a.png"), &def, &error), CLV_ERROR_SYSTEM);
  assert_int_equal(clv_plot_csv(path, in_directory(state, "a.png"), &def, &error), CLV_OK);
  cairo_surface_t *png = cairo_image_surface_create_from_png(in_directory(state, "a.png"));
  assert_int_equal(cairo_image_surface_get_width(png), 640);
  cairo_surface_destroy(png);
}

static void other_locales_change_nothing(void **state) {
  static const char text[] = "time,kinetic\n0,0.5\n1.25,1.5\n";
  char *here = draw_svg(state, text, NULL);
  if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8")) {
    char *there = draw_svg(state, text, NULL);
    setlocale(LC_ALL, "C");
    assert_string_equal(here, there);
    free(there);
  }
  free(here);
}

static void memory_runs_out(void **state) {
  const char *path = in_directory(state, "a.csv");
  write_file(path, "time,kinetic,tip.x\n0,1,2\n1,2,3\n2,3,nan\n");
  static const char *const pictures[] = {"a.svg", "a.png"};
  for (int k = 0; k < 2; k++) {
    const char *picture = in_directory(state, pictures[k]);
    bool refused_one = true;
    for (size_t n = 1; refused_one; n++) {
      counting_memory memory = {.fail_at = n};
      clv_plot_def def = clv_default_plot_def();
      def.allocator = counting_allocator(&memory);
      clv_error error = {CLV_OK, ""};
      const clv_result result = clv_plot_csv(path, picture, &def, &error);
      refused_one = memory.refused;
      assert_int_equal(result, refused_one ? CLV_ERROR_MEMORY : CLV_OK);
      assert_int_equal(error.code, result);
      assert_int_equal(memory.live_bytes, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_are_easily_read),
      cmocka_unit_test(every_range_has_an_axis),
      cmocka_unit_test_setup_teardown(numbers_are_read, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(wrong_tables_are_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(quantities_have_panels, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(zeros_need_no_panel, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(gaps_are_not_bridged, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(long_tables_are_thinned, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(the_order_of_rows_is_free, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(sizes_and_endings_are_tested, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(other_locales_change_nothing, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(memory_runs_out, directory_setup, directory_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
