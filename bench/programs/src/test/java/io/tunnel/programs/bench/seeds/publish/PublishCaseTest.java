package io.tunnel.programs.bench.seeds.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PublishCaseTest {

  @ParameterizedTest
  @EnumSource(Action.class)
  void a_case_is_one_line(Action action) {
    PublishCase what = new PublishCase(action, 4, 3, 20, 64, 1, 2);
    assertThat(PublishCase.parse(what.text())).isEqualTo(what);
  }

  @Test
  void three_subscribers_follow_each_publisher() {
    PublishCase what = new PublishCase(Action.NOTIFY, 4, 3, 20, 64, 1, 2);
    assertThat(what.subscribers()).isEqualTo(12);
    assertThat(what.publisherOf(0)).isZero();
    assertThat(what.publisherOf(11)).isEqualTo(3);
    assertThat(what.events()).isEqualTo(240);
    assertThat(new PublishCase(Action.SET, 4, 3, 20, 64, 1, 2).events()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "set", "set 1 1 1 64 0 0", "set 1 1 1 7 0 1", "put 1 1 1 64 0 1", "set 1 x"})
  void another_line_is_refused(String line) {
    assertThatThrownBy(() -> PublishCase.parse(line)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void data_names_its_path() {
    byte[] data = PathData.of(3, 7, 64);
    assertThat(data).hasSize(64);
    assertThat(PathData.wrong(data, 3, 7, 64)).isEmpty();
    assertThat(PathData.wrong(data, 3, 8, 64)).isPresent();
    assertThat(PathData.wrong(data, 3, 7, 65)).isPresent();
  }
}
