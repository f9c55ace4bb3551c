package io.tunnel.programs.bench.seeds.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.queue.MessageCase.Way;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageCaseTest {

  private static MessageCase of(String way, int parties, int connections, int destinations) {
    return new MessageCase(
        Way.named(way), parties, parties, connections, destinations, 1_000, 3, 10);
  }

  @Test
  void the_twelve_ways_are_named_as_in_the_document() {
    assertThat(Way.named("nP_T")).isEqualTo(new Way(false, false, false, true));
    assertThat(Way.named("P_D_nT")).isEqualTo(new Way(true, true, true, false));
    assertThat(Stream.concat(Way.OF_QUEUES.stream(), Way.OF_TOPICS.stream()))
        .hasSize(12)
        .doesNotHaveDuplicates()
        .allSatisfy(name -> assertThat(Way.named(name).text()).isEqualTo(name));
    assertThatThrownBy(() -> Way.named("P_D")).hasMessageContaining("'P_D'");
  }

  @Test
  void a_line_says_a_whole_case() {
    MessageCase what = new MessageCase(Way.named("P_nD_T"), 7, 5, 3, 2, 99, 0, 4);
    assertThat(what.text()).isEqualTo("P_nD_T 7 5 3 2 99 0 4");
    assertThat(MessageCase.parse(what.text())).isEqualTo(what);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "P_T", "P_T 1 1 1 1 99 0", "P_T 1 1 1 2 99 0 1", "P_T 1 1 1 1 19 0 1", "x y"})
  void a_line_of_no_case_is_refused(String line) {
    assertThatThrownBy(() -> MessageCase.parse(line)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({"500,50,20", "100,100,20", "10,10,1", "1,1,1", "7,2,5", "50,50,50"})
  void each_destination_has_senders_and_receivers(int parties, int connections, int destinations) {
    MessageCase what = of("P_nT", parties, connections, destinations);
    int receivers = 0;
    for (int destination = 0; destination < destinations; destination++) {
      List<Integer> of = what.receiversOf(destination);
      assertThat(of).isNotEmpty();
      receivers += of.size();
    }
    assertThat(receivers).as("each receiver has one destination").isEqualTo(parties);
  }

  @Test
  void a_connection_serves_one_destination_where_there_are_enough_connections() {
    MessageCase what = of("P_nT", 500, 50, 20);
    for (int connection = 0; connection < 50; connection++) {
      int each = connection;
      assertThat(
              IntStream.range(0, 500)
                  .filter(number -> what.connectionOf(number) == each)
                  .map(what::destinationOf)
                  .distinct()
                  .count())
          .isEqualTo(1);
    }
  }

  @Test
  void a_topic_gives_each_subscriber_a_copy_and_a_queue_gives_one() {
    assertThat(of("nP_D_nT", 10, 10, 2).copiesOf(0)).isEqualTo(5);
    assertThat(of("nP_nT", 10, 10, 2).copiesOf(0)).isEqualTo(1);
  }

  @Test
  void many_receivers_have_smaller_windows() {
    assertThat(of("P_nT", 1, 1, 1).receiveWindowBytes()).isEqualTo(1 << 20);
    assertThat(of("P_nT", 512, 50, 20).receiveWindowBytes()).isEqualTo(512 << 10);
    assertThat(of("P_nT", 1_000_000, 50, 20).receiveWindowBytes()).isEqualTo(64 << 10);
  }
}
