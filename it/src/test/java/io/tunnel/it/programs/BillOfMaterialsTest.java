package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The list of what the programs contain, in the format of CycloneDX. */
class BillOfMaterialsTest {

  private static final Path DISTRIBUTION =
      Path.of(ServerProcess.class.getResource("/").getPath())
          .resolve("../../../tunnel-cli/target/tunnel")
          .normalize();

  private static Stream<JsonObject> components() throws IOException {
    JsonObject bill =
        JsonParser.parseString(Files.readString(DISTRIBUTION.resolve("sbom.json")))
            .getAsJsonObject();
    assertThat(bill.get("bomFormat").getAsString()).isEqualTo("CycloneDX");
    JsonArray components = bill.getAsJsonArray("components");
    return StreamSupport.stream(components.spliterator(), false).map(JsonElement::getAsJsonObject);
  }

  @Test
  void every_library_is_in_it() throws IOException {
    Set<String> listed =
        components()
            .map(one -> one.get("name").getAsString() + "-" + one.get("version").getAsString())
            .collect(Collectors.toSet());
    try (Stream<Path> files = Files.list(DISTRIBUTION.resolve("lib"))) {
      List<String> jars = files.map(file -> file.getFileName().toString()).toList();
      assertThat(jars).hasSizeGreaterThan(20);
      assertThat(jars)
          .filteredOn(jar -> !jar.startsWith("tunnel-cli-"))
          .allMatch(jar -> listed.stream().anyMatch(jar::startsWith));
    }
  }

  @Test
  void a_library_of_others_has_its_license_and_its_hash() throws IOException {
    List<JsonObject> foreign =
        components()
            .filter(one -> !one.get("group").getAsString().startsWith("io.tunnel"))
            .toList();
    assertThat(foreign)
        .allSatisfy(
            one -> {
              assertThat(one.getAsJsonArray("licenses")).as("licenses of %s", one).isNotEmpty();
              assertThat(one.getAsJsonArray("hashes")).as("hashes of %s", one).isNotEmpty();
            });
  }
}
