package io.tunnel.server.net.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import org.junit.jupiter.api.Test;

final class ResumePointsTest {

  private static Bytes key(long position) {
    return TestRows.keyBytes("k" + position);
  }

  private static ResumePoints.Resume point(long position) {
    return new ResumePoints.Resume(position, key(position));
  }

  private final ResumePoints points = new ResumePoints(10, key(10));

  @Test
  void a_position_inside_of_a_delivery_resumes_behind_the_one_before() {
    points.add(20, key(20));
    points.add(30, key(30));
    assertThat(points.at(10)).isEqualTo(point(10));
    assertThat(points.at(19)).isEqualTo(point(10));
    assertThat(points.at(20)).isEqualTo(point(20));
    assertThat(points.at(29)).isEqualTo(point(20));
    assertThat(points.at(30)).isEqualTo(point(30));
    assertThat(points.count()).as("what is processed is forgotten").isEqualTo(1);
  }

  @Test
  void a_position_that_was_overtaken_finds_what_overtook_it() {
    points.add(20, key(20));
    assertThat(points.at(20)).isEqualTo(point(20));
    assertThat(points.at(15)).isEqualTo(point(20));
  }

  @Test
  void without_any_checkpoint_they_stay_bounded_and_the_first_and_the_last_are_known() {
    long last = 10;
    for (int i = 0; i < 20 * ResumePoints.COUNT_MAX; i++) {
      last += 3;
      points.add(last, key(last));
      assertThat(points.count()).isLessThanOrEqualTo(ResumePoints.COUNT_MAX);
    }
    assertThat(points.at(11)).isEqualTo(point(10));
    long middle = 10 + (last - 10) / 2;
    ResumePoints.Resume resume = points.at(middle);
    assertThat(resume).isEqualTo(point(resume.position()));
    assertThat(resume.position()).isBetween(middle - (last - 10) / 100, middle);
    points.add(last + 3, key(last + 3));
    last += 3;
    assertThat(points.at(last)).isEqualTo(point(last));
  }

  @Test
  void a_point_that_was_resumed_at_stays_whatever_is_delivered_behind_it() {
    long last = 10;
    for (int i = 0; i < 10 * ResumePoints.COUNT_MAX; i++) {
      points.add(++last, key(last));
    }
    for (int i = 0; i < 100; i++) {
      assertThat(points.at(last)).isEqualTo(point(last));
      points.add(last + 5, key(last + 5));
      assertThat(points.at(last + 4)).isEqualTo(point(last));
      last += 5;
    }
  }
}
