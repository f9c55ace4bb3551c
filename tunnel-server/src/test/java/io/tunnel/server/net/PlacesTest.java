package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlacesTest {

  private final Places places = new Places(2);
  private final List<String> closed = new ArrayList<>();

  private Places.Holder holder(String name) {
    return why -> closed.add(name + " " + why);
  }

  @Test
  void aNewConnectionTakesThePlaceOfTheOneThatHasWaitedLongestWithoutAGreeting() {
    Places.Holder first = holder("first");
    Places.Holder second = holder("second");
    assertThat(places.enter(first)).isEqualTo(Places.Entry.ADMITTED);
    assertThat(places.enter(second)).isEqualTo(Places.Entry.ADMITTED);
    assertThat(closed).isEmpty();
    places.greeted(first);
    assertThat(places.enter(holder("third"))).isEqualTo(Places.Entry.ADMITTED);
    assertThat(closed).containsExactly("second NOT_GREETED");
  }

  @Test
  void whenAllHaveGreetedItIsRefusedUntilOneLeaves() {
    Places.Holder first = holder("first");
    Places.Holder second = holder("second");
    places.enter(first);
    places.enter(second);
    places.greeted(first);
    places.greeted(second);
    assertThat(places.enter(holder("third"))).isEqualTo(Places.Entry.REFUSED);
    places.left(first);
    assertThat(places.enter(holder("fourth"))).isEqualTo(Places.Entry.ADMITTED);
    assertThat(closed).isEmpty();
  }

  @Test
  void onlySomeAreToldThatTheyAreRefused() {
    for (int i = 0; i < 2; i++) {
      Places.Holder kept = holder("kept");
      places.enter(kept);
      places.greeted(kept);
    }
    List<Places.Holder> refused = new ArrayList<>();
    for (int i = 0; i < Places.REFUSED_MAX; i++) {
      refused.add(holder("refused"));
      assertThat(places.enter(refused.get(i))).isEqualTo(Places.Entry.REFUSED);
    }
    assertThat(places.enter(holder("more"))).isEqualTo(Places.Entry.CLOSED);
    places.left(refused.get(0));
    assertThat(places.enter(holder("more"))).isEqualTo(Places.Entry.REFUSED);
  }
}
