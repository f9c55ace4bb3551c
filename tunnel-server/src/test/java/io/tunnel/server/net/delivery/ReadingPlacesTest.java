package io.tunnel.server.net.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import org.junit.jupiter.api.Test;

final class ReadingPlacesTest {

  private final ReadingPlaces places = new ReadingPlaces(true);

  private int takeAll(String principal) {
    int taken = 0;
    try {
      while (true) {
        places.take(principal);
        taken++;
      }
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      return taken;
    }
  }

  @Test
  void a_reader_takes_a_sixth_of_the_places_and_another_one_still_reads() {
    int ofGreedy = takeAll("greedy");
    assertThat(ofGreedy).isBetween(33_332, 33_334);
    for (int i = 0; i < 1_000; i++) {
      places.take("late");
    }
    for (int i = 0; i < ofGreedy; i++) {
      places.leave("greedy");
    }
    places.take("greedy");
  }

  @Test
  void readers_without_names_share_all_places() {
    assertThat(takeAll("")).isEqualTo(ReadingPlaces.READINGS_MAX);
    assertThatThrownBy(() -> places.take("late")).isInstanceOf(RefusedException.class);
    places.leave("");
    places.take("late");
  }
}
