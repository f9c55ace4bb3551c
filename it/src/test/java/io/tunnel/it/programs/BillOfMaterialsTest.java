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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of what the programs contain, in the format of CycloneDX. */
class BillOfMaterialsTest {

  private static final Path ROOT =
      Path.of(ServerProcess.class.getResource("/").getPath()).resolve("../../..").normalize();

  private static Path distribution(String module) {
    return ROOT.resolve(module).resolve("target/tunnel");
  }

  private static Stream<JsonObject> components(String module) throws IOException {
    JsonObject bill =
        JsonParser.parseString(Files.readString(distribution(module).resolve("sbom.json")))
            .getAsJsonObject();
    assertThat(bill.get("bomFormat").getAsString()).isEqualTo("CycloneDX");
    JsonArray components = bill.getAsJsonArray("components");
    return StreamSupport.stream(components.spliterator(), false).map(JsonElement::getAsJsonObject);
  }

  @ParameterizedTest
  @CsvSource({"tunnel-cli,20", "bench/programs,2"})
  void every_library_is_in_it(String module, int jarsMin) throws IOException {
    Set<String> listed =
        components(module)
            .map(one -> one.get("name").getAsString() + "-" + one.get("version").getAsString())
            .collect(Collectors.toSet());
    try (Stream<Path> files = Files.list(distribution(module).resolve("lib"))) {
      List<String> jars = files.map(file -> file.getFileName().toString()).toList();
      assertThat(jars).hasSizeGreaterThan(jarsMin);
      assertThat(jars)
          .filteredOn(jar -> !jar.startsWith(module.replace('/', '-') + "-"))
          .allMatch(jar -> listed.stream().anyMatch(jar::startsWith));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tunnel-cli", "bench/programs"})
  void a_library_of_others_has_its_license_and_its_hash(String module) throws IOException {
    List<JsonObject> foreign =
        components(module)
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
