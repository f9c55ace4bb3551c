package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlacesTest {

  private final Places places = new Places(2, 3);
  private static final Bytes A = Bytes.fromHex("0a000001");
  private static final Bytes B = Bytes.fromHex("0a000002");

  private final List<String> closed = new ArrayList<>();

  private Places.Holder holder(String name) {
    return why -> closed.add(name + " " + why);
  }

  @Test
  void a_new_connection_takes_the_place_of_the_one_that_has_waited_longest_without_a_greeting() {
    Places.Holder first = holder("first");
    Places.Holder second = holder("second");
    assertThat(places.enter(first, A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(places.enter(second, A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(closed).isEmpty();
    places.greeted(first);
    assertThat(places.enter(holder("third"), A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(closed).containsExactly("second NOT_GREETED");
  }

  @Test
  void a_greeting_that_comes_after_the_place_is_lost_is_not_accepted() {
    Places.Holder first = holder("first");
    Places.Holder second = holder("second");
    places.enter(first, A);
    places.enter(second, A);
    assertThat(places.greeted(second)).isTrue();
    places.enter(holder("third"), A);
    assertThat(closed).containsExactly("first NOT_GREETED");
    assertThat(places.greeted(first)).isFalse();
  }

  @Test
  void when_all_have_greeted_it_is_refused_until_one_leaves() {
    Places.Holder first = holder("first");
    Places.Holder second = holder("second");
    places.enter(first, A);
    places.enter(second, A);
    places.greeted(first);
    places.greeted(second);
    Places.Holder third = holder("third");
    assertThat(places.enter(third, A)).isEqualTo(Places.Admission.REFUSED);
    assertThat(places.greeted(third)).isFalse();
    places.left(first);
    assertThat(places.enter(holder("fourth"), A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(closed).isEmpty();
  }

  @Test
  void only_some_are_told_that_they_are_refused() {
    for (int i = 0; i < 2; i++) {
      Places.Holder kept = holder("kept");
      places.enter(kept, A);
      places.greeted(kept);
    }
    List<Places.Holder> refused = new ArrayList<>();
    for (int i = 0; i < Places.REFUSED_MAX; i++) {
      refused.add(holder("refused"));
      assertThat(places.enter(refused.get(i), A)).isEqualTo(Places.Admission.REFUSED);
    }
    assertThat(places.enter(holder("more"), A)).isEqualTo(Places.Admission.CLOSED);
    places.left(refused.get(0));
    assertThat(places.enter(holder("more"), A)).isEqualTo(Places.Admission.REFUSED);
  }

  @Test
  void a_network_has_as_many_as_it_may_and_one_more_is_refused_while_others_have_room() {
    Places wide = new Places(10, 2);
    Places.Holder first = holder("first");
    Places.Holder second = holder("second");
    assertThat(wide.enter(first, A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(wide.enter(second, A)).isEqualTo(Places.Admission.ADMITTED);
    wide.greeted(first);
    wide.greeted(second);
    assertThat(wide.enter(holder("third"), A)).isEqualTo(Places.Admission.CROWDED);
    assertThat(wide.enter(holder("other"), B)).isEqualTo(Places.Admission.ADMITTED);
    wide.left(second);
    assertThat(wide.enter(holder("fourth"), A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(closed).isEmpty();
  }

  @Test
  void a_crowded_network_gives_up_its_own_that_have_not_greeted_and_no_others() {
    Places wide = new Places(10, 2);
    Places.Holder greeted = holder("greeted");
    Places.Holder mine = holder("mine");
    assertThat(wide.enter(holder("other"), B)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(wide.enter(greeted, A)).isEqualTo(Places.Admission.ADMITTED);
    wide.greeted(greeted);
    assertThat(wide.enter(mine, A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(wide.enter(holder("next"), A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(closed).containsExactly("mine NOT_GREETED");
    wide.left(mine);
    assertThat(wide.enter(holder("last"), A)).isEqualTo(Places.Admission.ADMITTED);
    assertThat(closed).containsExactly("mine NOT_GREETED", "next NOT_GREETED");
  }
}
