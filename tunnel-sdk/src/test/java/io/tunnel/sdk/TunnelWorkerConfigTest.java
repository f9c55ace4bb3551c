package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TunnelWorkerConfigTest {

  @Test
  void the_builder_has_every_option() {
    Set<String> options =
        Arrays.stream(TunnelWorkerConfig.class.getMethods())
            .map(Method::getName)
            .filter(name -> name.startsWith("set"))
            .map(name -> name.substring(3, 4).toLowerCase(Locale.ROOT) + name.substring(4))
            .map(name -> name.equals("channelProcessor") ? "processor" : name)
            .collect(Collectors.toSet());
    assertThat(
            Arrays.stream(TunnelWorkerConfig.Builder.class.getDeclaredMethods())
                .map(Method::getName))
        .containsAll(options);
    TunnelWorkerConfig built =
        TunnelWorkerConfig.builder()
            .maxChannelParallel(2)
            .processRowsMax(3)
            .processBytesMax(4)
            .processAttemptsMax(5)
            .maxRetryIntervalInMillis(6)
            .shutdownDeadlineInMillis(7)
            .build();
    assertThat(built.getMaxChannelParallel()).isEqualTo(2);
    assertThat(built.processRowsMax()).isEqualTo(3);
    assertThat(built.processBytesMax()).isEqualTo(4);
    assertThat(built.processAttemptsMax()).isEqualTo(5);
    assertThat(built.getMaxRetryIntervalInMillis()).isEqualTo(6);
    assertThat(built.shutdownDeadlineInMillis()).isEqualTo(7);
  }
}
