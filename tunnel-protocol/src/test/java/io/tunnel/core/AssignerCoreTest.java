package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.AssignerCore.Seat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class AssignerCoreTest {

  static LongStream seeds() {
    return LongStream.range(0, 500);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void channels_are_spread_evenly_within_the_room_there_is_and_always_alike(long seed) {
    Random random = new Random(seed);
    List<Seat> seats = seats(random, 6);
    Map<ChannelKey, String> owners = owners(random, 1 + random.nextInt(40), 7);
    Map<ChannelKey, String> first = AssignerCore.assign(seats, owners, 0);
    assertThat(AssignerCore.assign(seats, owners, 0)).isEqualTo(first);
    Map<ChannelKey, String> target = AssignerCore.assign(seats, withOwners(owners, first), 0);
    requireEven(seats, owners.size(), target);
    assertThat(AssignerCore.assign(seats, withOwners(owners, target), 0))
        .as("a spread that is even stays as it is")
        .isEqualTo(target);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void no_even_spread_moves_fewer_channels(long seed) {
    Random random = new Random(seed);
    List<Seat> seats = seats(random, 3);
    Map<ChannelKey, String> owners = owners(random, 1 + random.nextInt(5), 4);
    Map<ChannelKey, String> target = AssignerCore.assign(seats, owners, 0);
    List<Map<ChannelKey, String>> all = new ArrayList<>();
    enumerate(seats, new ArrayList<>(owners.keySet()), 0, new HashMap<>(), all);
    int fewest = Integer.MAX_VALUE;
    for (Map<ChannelKey, String> other : all) {
      if (isEven(seats, owners.size(), other)) {
        fewest = Math.min(fewest, moves(seats, owners, other));
      }
    }
    assertThat(moves(seats, owners, target)).isEqualTo(fewest);
  }

  @Test
  void a_channel_that_leaves_takes_room_where_it_comes_from_and_no_free_one_waits_for_it() {
    List<Seat> seats = List.of(new Seat("full", 2, 2), new Seat("other", 0, 0));
    Map<ChannelKey, String> owners = new LinkedHashMap<>();
    owners.put(ChannelKey.stream(1), null);
    owners.put(ChannelKey.stream(2), null);
    assertThat(AssignerCore.assign(seats, owners, 2))
        .containsOnly(
            Map.entry(ChannelKey.stream(1), "other"), Map.entry(ChannelKey.stream(2), "other"));
  }

  private static void enumerate(
      List<Seat> seats,
      List<ChannelKey> channels,
      int index,
      Map<ChannelKey, String> chosen,
      List<Map<ChannelKey, String>> all) {
    if (index == channels.size()) {
      all.add(new HashMap<>(chosen));
      return;
    }
    enumerate(seats, channels, index + 1, chosen, all);
    for (Seat seat : seats) {
      chosen.put(channels.get(index), seat.sessionId());
      enumerate(seats, channels, index + 1, chosen, all);
      chosen.remove(channels.get(index));
    }
  }

  /** Channels that are taken from a session that is still there. */
  private static int moves(
      List<Seat> seats, Map<ChannelKey, String> owners, Map<ChannelKey, String> target) {
    int moves = 0;
    for (Map.Entry<ChannelKey, String> owner : owners.entrySet()) {
      boolean isHeld = seats.stream().anyMatch(seat -> seat.sessionId().equals(owner.getValue()));
      moves += isHeld && !owner.getValue().equals(target.get(owner.getKey())) ? 1 : 0;
    }
    return moves;
  }

  private static void requireEven(List<Seat> seats, int channels, Map<ChannelKey, String> target) {
    assertThat(isEven(seats, channels, target)).as("%s over %s", target, seats).isTrue();
  }

  private static boolean isEven(List<Seat> seats, int channels, Map<ChannelKey, String> target) {
    long room = 0;
    for (Seat seat : seats) {
      room += seat.channelsMax() == 0 ? channels : Math.min(channels, seat.channelsMax());
    }
    boolean isEven = target.size() == Math.min(channels, room);
    for (Seat seat : seats) {
      long held = held(target, seat);
      boolean hasRoom = seat.channelsMax() == 0 || held < seat.channelsMax();
      isEven &= seat.channelsMax() == 0 || held <= seat.channelsMax();
      for (Seat other : seats) {
        isEven &= !hasRoom || held(target, other) - held <= 1;
      }
    }
    return isEven;
  }

  private static long held(Map<ChannelKey, String> target, Seat seat) {
    return target.values().stream().filter(seat.sessionId()::equals).count();
  }

  private static List<Seat> seats(Random random, int countMax) {
    List<Seat> seats = new ArrayList<>();
    for (int i = random.nextInt(countMax + 1); i > 0; i--) {
      seats.add(new Seat("s" + i, random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0, 0));
    }
    return seats;
  }

  /** Some channels are held by gone sessions, some by no session. */
  private static Map<ChannelKey, String> owners(Random random, int channels, int sessions) {
    Map<ChannelKey, String> owners = new LinkedHashMap<>();
    for (int channel = 1; channel <= channels; channel++) {
      owners.put(
          ChannelKey.stream(channel),
          random.nextInt(3) == 0 ? null : "s" + (1 + random.nextInt(sessions)));
    }
    return owners;
  }

  private static Map<ChannelKey, String> withOwners(
      Map<ChannelKey, String> channels, Map<ChannelKey, String> target) {
    Map<ChannelKey, String> owners = new LinkedHashMap<>();
    channels.keySet().forEach(channel -> owners.put(channel, target.get(channel)));
    return owners;
  }
}
