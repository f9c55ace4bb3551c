package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogFormTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  private static Founding founding(LogForm form) {
    return new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52"), 1, form);
  }

  @ParameterizedTest
  @EnumSource(LogForm.class)
  void the_founder_writes_its_form_and_nodes_of_the_other_form_lead_nothing(LogForm form)
      throws IOException {
    founding(form).noteIn(store);
    Map<String, String> founded = store.all();
    LogForm other = form == LogForm.ROWS ? LogForm.APPENDS : LogForm.ROWS;
    assertThatThrownBy(() -> founding(other).noteIn(store))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("tables export")
        .hasMessageContaining("tables import");
    assertThat(store.all()).isEqualTo(founded);
    founding(form).noteIn(store);
    assertThat(store.all()).isEqualTo(founded);
    form.require(founded);
    assertThat(form.objection(founded)).isEmpty();
    assertThat(other.objection(founded))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith(
                        form == LogForm.ROWS
                            ? "the log of this cluster has a record for each row, and this node"
                                + " serves clusters whose log has a record for each append."
                            : "the log of this cluster has a record for each append, and this node"
                                + " serves clusters whose log has a record for each row."));
  }

  @ParameterizedTest
  @EnumSource(LogForm.class)
  void a_catalog_that_nobody_founded_has_no_form_yet(LogForm form) throws IOException {
    form.require(Map.of());
    assertThat(form.objection(Map.of())).isEmpty();
    assertThat(form.objection(Map.of("table/1", "{}"))).as("read in part").isEmpty();
    assertThatThrownBy(() -> form.require(Map.of("table/1", "{}")))
        .hasMessageContaining("was written by a build before 0.1.0");
  }

  /** Rows have the number that builds without a form for appends read. */
  @Test
  void a_form_of_a_newer_build_is_refused_by_its_number() {
    Map<String, String> newer = Map.of("form", "{\"number\":4}");
    assertThat(LogForm.APPENDS.objection(newer)).isEmpty();
    assertThatThrownBy(() -> LogForm.APPENDS.require(newer))
        .hasMessageContaining("has format 4, and this build reads format 3");
    assertThat(LogForm.ROWS.noting().get("form")).contains("{\"number\":2}");
    assertThat(LogForm.APPENDS.noting().get("form")).contains("{\"number\":3}");
  }
}
