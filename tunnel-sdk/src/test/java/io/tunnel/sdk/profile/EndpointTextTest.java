package io.tunnel.sdk.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.Endpoint;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "profile:prod prod ''",
        "profile:env@h:1 env h:1",
        "profile:a.b_c-D@h,[::1]:2 a.b_c-D h:7650,[::1]:2",
        "profile:dir/file.json dir/file.json ''",
        "profile:file.json@h file.json h:7650",
        "profile:/a@b/c /a@b/c ''",
        "profile:/a@b/c.json@h:1 /a@b/c.json h:1",
        "profile:a@b.json a@b.json ''",
        "h:1,g '' h:1,g:7650"
      })
  void a_service_is_named_by_a_profile_or_endpoints_or_both(
      String text, String profile, String endpoints) {
    EndpointText read = EndpointText.of(text);
    assertThat(read.profile()).isEqualTo(Optional.of(profile).filter(name -> !name.isEmpty()));
    assertThat(read.endpoints())
        .isEqualTo(endpoints.isEmpty() ? List.of() : EndpointText.endpoints(endpoints));
    assertThat(EndpointText.of(read.toString())).isEqualTo(read);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"profile:", "profile:@h:1", "profile:a b", "profile:a@", "profile:a@h:0", ""})
  void other_texts_are_refused(String text) {
    assertThatThrownBy(() -> EndpointText.of(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_name_has_at_most_so_many_characters() {
    String longest = "n".repeat(64);
    assertThat(EndpointText.of("profile:" + longest).profile()).contains(longest);
    assertThatThrownBy(() -> EndpointText.of("profile:" + longest + "n"))
        .hasMessageContaining("a name of 1 to 64 of A-Z a-z 0-9 _ . -");
    assertThatThrownBy(() -> new EndpointText(Optional.empty(), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new EndpointText(Optional.empty(), List.of(new Endpoint("a", 1))))
        .hasToString("a:1");
  }
}
