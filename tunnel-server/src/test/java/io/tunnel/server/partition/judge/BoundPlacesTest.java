package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.judge.BoundPlaces.Places;
import org.junit.jupiter.api.Test;

/** The edges of {@link BoundPlaces} with rows and bytes apart, which real keys rarely show. */
final class BoundPlacesTest {

  private static void take(BoundPlaces places, String owner, int rows, int keyBytes) {
    for (int row = 0; row < rows; row++) {
      places.take(owner, keyBytes);
    }
  }

  private static void requireRefused(BoundPlaces places, Places toOwner, Places toAll) {
    assertThatThrownBy(() -> places.require("a", toOwner, toAll))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("principal 'a' has");
  }

  /** Of the rows that move from another owner the places are free, of new rows they are not. */
  @Test
  void an_owner_gets_a_part_of_what_is_free_when_rows_of_others_have_left_their_places() {
    BoundPlaces byRows = new BoundPlaces(60, 1 << 20);
    take(byRows, "a", 1, 1);
    take(byRows, "b", 26, 1);
    // With 7 rows of b there are 60 - 27 + 7 = 40 free: a may have 8, which are 7 more.
    byRows.require("a", new Places(7, 7), new Places(0, 0));
    requireRefused(byRows, new Places(7, 7), new Places(2, 2));
    requireRefused(byRows, new Places(8, 8), new Places(1, 1));

    BoundPlaces byBytes = new BoundPlaces(1 << 20, 600);
    take(byBytes, "a", 1, 10);
    take(byBytes, "b", 26, 10);
    byBytes.require("a", new Places(7, 70), new Places(0, 0));
    requireRefused(byBytes, new Places(7, 71), new Places(0, 0));
    requireRefused(byBytes, new Places(7, 70), new Places(1, 6));
    requireRefused(byBytes, new Places(7, 70), new Places(1, 1));
  }

  @Test
  void reserved_places_add_up_in_rows_and_in_bytes() {
    BoundPlaces places = new BoundPlaces(100, 60);
    places.reserve("", new Places(1, 20), new Places(1, 20));
    places.reserve("", new Places(1, 20), new Places(1, 20));
    places.require("b", new Places(1, 20), new Places(1, 20));
    assertThatThrownBy(() -> places.require("b", new Places(1, 21), new Places(1, 21)))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("the server has 2 bound rows with 40 bytes of keys");
    places.unreserve("", new Places(1, 20), new Places(1, 20));
    places.require("b", new Places(1, 40), new Places(1, 40));
    places.unreserve("", new Places(1, 20), new Places(1, 20));
    places.require("b", new Places(1, 60), new Places(1, 60));
    assertThat(places.of("b")).isEqualTo(Places.NONE);
  }

  @Test
  void what_is_reserved_for_an_owner_counts_in_its_share() {
    BoundPlaces places = new BoundPlaces(1 << 20, 600);
    places.reserve("a", new Places(1, 20), new Places(1, 20));
    // A fifth of the 580 that are free is 116.
    places.require("a", new Places(1, 96), new Places(1, 96));
    requireRefused(places, new Places(1, 97), new Places(1, 97));
    places.require("b", new Places(1, 580), new Places(1, 580));
  }

  @Test
  void what_is_given_back_to_an_owner_leaves_what_else_is_reserved() {
    BoundPlaces places = new BoundPlaces(1 << 20, 600);
    places.reserve("a", new Places(1, 20), new Places(1, 20));
    places.reserve("a", new Places(1, 20), new Places(1, 20));
    // A fifth of the 560 that are free is 112.
    places.require("a", new Places(1, 72), new Places(1, 72));
    requireRefused(places, new Places(1, 73), new Places(1, 73));
    places.unreserve("a", new Places(1, 20), new Places(1, 20));
    places.require("a", new Places(1, 96), new Places(1, 96));
    requireRefused(places, new Places(1, 97), new Places(1, 97));
    places.unreserve("a", new Places(1, 20), new Places(1, 20));
    // An owner without rows may have all that is free.
    places.require("a", new Places(1, 600), new Places(1, 600));
  }
}
