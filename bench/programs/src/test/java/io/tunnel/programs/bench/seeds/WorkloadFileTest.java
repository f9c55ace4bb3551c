package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadFileTest {

  private static final String ECHO =
      "{\"seed\": \"mine\", \"kind\": \"echo\", \"title\": \"t\", \"publishedOn\": \"p\","
          + " \"operations\": [\"repeat\"], \"threads\": [1], \"warmUpSeconds\": 0, \"seconds\": 1,"
          + " \"loads\": [{\"clients\": 2, \"bytes\": 8}], \"columns\": [\"perSecond\"],"
          + " \"published\": [{\"operation\": \"repeat\", \"clients\": 2, \"averageMs\": 3}]}";

  @Test
  void every_published_figure_of_our_seeds_is_of_a_case() throws IOException {
    for (String seed : WorkloadFile.OWN) {
      Workload workload = WorkloadFile.own(seed);
      assertThat(workload.seed()).isEqualTo(seed);
      assertThat(workload.published()).isNotEmpty();
      for (Workload.Published each : workload.published()) {
        assertThat(workload.operations()).contains(each.operation());
        assertThat(workload.loads()).extracting(Load::clients).contains(each.clients());
        each.threads().ifPresent(threads -> assertThat(workload.threads()).contains(threads));
      }
    }
  }

  @Test
  void the_seed_of_ice_has_a_figure_for_each_case_of_both_operations() throws IOException {
    Workload ice = WorkloadFile.own("002");
    assertThat(ice.kind()).isEqualTo(Kind.ECHO);
    for (String operation : Kind.ECHO.operations()) {
      for (Load load : ice.loads()) {
        for (int threads : ice.threads()) {
          assertThat(ice.published(operation, load, Optional.of(threads)))
              .as("%s of %s with %s", operation, load, threads)
              .containsOnlyKeys(Figure.AVERAGE_MS);
        }
      }
    }
    assertThat(ice.published("repeat", ice.loads().get(4), Optional.of(12)))
        .isEqualTo(Map.of(Figure.AVERAGE_MS, 39.74));
    assertThat(ice.published("repeat", ice.loads().get(4), Optional.of(3))).isEmpty();
  }

  @Test
  void the_paths_of_jtang_have_their_published_figures() throws IOException {
    Workload paths = WorkloadFile.own("004paths");
    assertThat(paths.operations()).isEqualTo(AccessPath.words());
    Load users = paths.loads().get(2);
    assertThat(users.clients()).isEqualTo(500);
    assertThat(paths.published("tls", users, Optional.empty()))
        .containsEntry(Figure.PER_SECOND, 2386.7)
        .containsEntry(Figure.AVERAGE_MS, 291.7);
    assertThat(paths.published("inProcess", paths.loads().get(0), Optional.empty())).isEmpty();
    String echo = ECHO.replace("\"repeat\"", "\"tcp\"");
    assertThat(WorkloadFile.parse("a.json", echo.replace("\"echo\"", "\"access\"")).operations())
        .containsExactly("tcp");
    assertThatThrownBy(
            () ->
                WorkloadFile.parse(
                    "a.json",
                    echo.replace("\"echo\"", "\"access\"").replace("\"bytes\": 8", "\"bytes\": 0")))
        .hasMessage("a.json: $.loads[0].bytes is 1 to 65536, not 0");
    assertThatThrownBy(() -> WorkloadFile.parse("a.json", ECHO.replace("\"echo\"", "\"access\"")))
        .hasMessageStartingWith("a.json: $.operations[0] is one of [inProcess, tcp, tls], not");
  }

  @Test
  void a_load_is_scaled_down_to_one_client_with_one_request_at_least() {
    Load load = new Load(1_000, 256, 100_000, 1_000);
    assertThat(load.scaled(1)).isEqualTo(load);
    assertThat(load.scaled(0.1)).isEqualTo(new Load(100, 256, 10_000, 1_000));
    assertThat(new Load(3, 256, 5, 1).scaled(0.001)).isEqualTo(new Load(1, 256, 1, 1));
    assertThat(load.scaled(0.1).requestsOfClient()).isEqualTo(100);
    assertThat(new Load(100, 1_024, 0, 0).scaled(0.1).requestsOfClient()).isZero();
  }

  @Test
  void a_file_of_a_user_is_read_as_ours(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("mine.json"), ECHO);
    Workload workload = WorkloadFile.read(file);
    assertThat(workload.seed()).isEqualTo("mine");
    assertThat(workload.loads()).containsExactly(new Load(2, 8, 0, 0));
    assertThat(workload.published("repeat", workload.loads().get(0), Optional.of(1)))
        .as("a published figure of any number of threads")
        .isEqualTo(Map.of(Figure.AVERAGE_MS, 3.0));
    Files.writeString(file, " ".repeat(WorkloadFile.BYTES_MAX + 1));
    assertThatThrownBy(() -> WorkloadFile.read(file))
        .hasMessageContaining(
            "mine.json: a workload has 1048576 bytes at most, and there are more");
    Files.write(file, new byte[] {'"', (byte) 0xff, '"'});
    assertThatThrownBy(() -> WorkloadFile.read(file))
        .hasMessageContaining("mine.json: this is no text in UTF-8");
  }

  @Test
  void a_file_without_an_end_is_not_read_to_its_end() {
    assertThatThrownBy(() -> WorkloadFile.read(Path.of("/dev/zero")))
        .hasMessage("/dev/zero: a workload has 1048576 bytes at most, and there are more");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"kind\": \"mix\", \"kind\": \"echo\"} | $.kind is there twice",
        "{\"a\": [{\"b\": 1, \"b\": 2}]} | $.a[0].b is there twice",
        "{} {} | there is more behind the JSON object",
        "{} x | there is more behind the JSON object",
        "{'a': 1} | this is no JSON: malformed at line 1 column 3 path $.",
        "[NaN] | this is no JSON: malformed at line 1 column",
      })
  void what_is_no_json_is_refused_in_words_for_people(String text, String why) {
    assertThatThrownBy(() -> WorkloadFile.parse("a.json", text))
        .hasMessageStartingWith("a.json: " + why)
        .hasMessageNotContaining("JsonReader");
  }

  @Test
  void an_error_repeats_only_the_beginning_of_what_is_wrong() {
    String long400 = ECHO.replace("\"seconds\": 1", "\"seconds\": " + "9".repeat(400));
    assertThatThrownBy(() -> WorkloadFile.parse("a.json", long400)).message().hasSizeLessThan(150);
    assertThatThrownBy(() -> WorkloadFile.parse("a.json", "[".repeat(1_000)))
        .message()
        .hasSizeLessThan(300);
  }

  @Test
  void a_title_is_one_line_without_controls() {
    assertThatThrownBy(
            () ->
                WorkloadFile.parse(
                    "a.json", ECHO.replace("\"title\": \"t\"", "\"title\": \"\\u001b[31m\"")))
        .hasMessageStartingWith("a.json: $.title has a control character: ");
  }

  @Test
  void columns_are_what_the_kind_measures() {
    assertThatThrownBy(
            () -> WorkloadFile.parse("a.json", ECHO.replace("\"perSecond\"", "\"freeGb\"")))
        .hasMessageStartingWith("a.json: $.columns[0] is one of [averageMs, maxMs, ")
        .hasMessageEndingWith("not 'freeGb'");
  }

  @Test
  void requests_are_rounded_up_to_the_same_number_of_each_client() {
    Load load = new Load(100, 8, 199, 1);
    assertThat(load.requests()).isEqualTo(200);
    assertThat(load.requestsOfClient()).isEqualTo(2);
    assertThat(new Load(100, 8, 0, 0).requestsOfClient()).isZero();
  }

  @Test
  void only_published_figures_need_a_place() throws IOException {
    String nowhere = ECHO.replace("\"publishedOn\": \"p\",", "");
    assertThatThrownBy(() -> WorkloadFile.parse("mine.json", nowhere))
        .hasMessage("mine.json: $ has no member 'publishedOn'");
    String own = nowhere.replaceFirst(", \"published\": .*", "}");
    assertThat(WorkloadFile.parse("mine.json", own).publishedOn()).isEmpty();
    assertThat(WorkloadFile.parse("mine.json", ECHO).publishedOn()).contains("p");
  }

  @Test
  void three_agents_have_figures_of_their_own() throws IOException {
    Workload registry = WorkloadFile.own("003");
    Load one = registry.loads().get(1);
    Load three = registry.loads().get(3);
    assertThat(List.of(one.servers(), three.servers())).containsExactly(1, 3);
    assertThat(three.scaled(0.1).servers()).isEqualTo(3);
    assertThat(registry.published("register", one, Optional.empty()))
        .containsEntry(Figure.PER_SECOND, 13_675.0);
    assertThat(registry.published("register", three, Optional.empty()))
        .containsEntry(Figure.PER_SECOND, 40_751.0);
    assertThat(registry.published("lookUp", one, Optional.empty())).isEmpty();
    assertThatThrownBy(
            () ->
                WorkloadFile.parse(
                    "m.json", ECHO.replace("\"bytes\": 8", "\"bytes\": 8, \"servers\": 3")))
        .hasMessage("m.json: $.loads[0].servers is for a registry: others have one server");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"clients\": 2 | \"clients\": 0 | m.json: $.loads[0].clients is 1 to 10000, not 0",
        "\"clients\": 2 | \"clients\": 1.5 | m.json: $.loads[0].clients is 1 to 10000, not 1.5",
        "\"clients\": 2, | \"clients\": \"2\", | m.json: $.loads[0].clients is no number of 0",
        "\"bytes\": 8 | \"bytes\": 65537 | m.json: $.loads[0].bytes is 0 to 65536, not 65537",
        "\"bytes\": 8 | \"requests\": 8, \"bytes\": 8 | m.json: $.loads[0].requests is for a registry",
        "\"bytes\": 8 | \"size\": 8 | m.json: $.loads[0] has a member 'size'; known are [bytes,",
        ", \"bytes\": 8 | '' | m.json: $.loads[0] has no member 'bytes'",
        "\"echo\" | \"chat\" | m.json: $.kind is one of [access, echo, mix, publish, queue, registry], not 'chat'",
        "\"mine\" | \"../mine\" | m.json: $.seed is 1 to 16 letters and digits, not '../mine'",
        "[\"repeat\"] | [\"register\"] | m.json: $.operations[0] is one of [acknowledge, repeat], not",
        "[\"repeat\"] | [\"repeat\", \"repeat\"] | m.json: $.operations has one element twice",
        "[\"repeat\"] | \"repeat\" | m.json: $.operations is no array",
        "[1] | [] | m.json: $.threads has 0 elements, not 1 to 100",
        "\"perSecond\" | \"speed\" | m.json: $.columns[0] is one of [averageMs, maxMs, ",
        "\"averageMs\": 3 | \"averageMs\": -3 | m.json: $.published[0].averageMs is no number",
        ", \"averageMs\": 3 | '' | m.json: $.published[0] has no figure",
        "\"title\": \"t\" | \"title\": \" \" | m.json: $.title is no text",
        "\"seconds\": 1 | \"seconds\": 601 | m.json: $.seconds is 1 to 600, not 601",
      })
  void a_file_that_cannot_be_is_refused_with_its_name_and_the_place(
      String part, String instead, String message) {
    assertThat(ECHO).contains(part);
    String text = ECHO.replaceFirst(Pattern.quote(part), Matcher.quoteReplacement(instead));
    assertThatThrownBy(() -> WorkloadFile.parse("m.json", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void seconds_are_for_echo_and_names_are_long_enough_to_differ() {
    String registry =
        "{\"seed\": \"r\", \"kind\": \"registry\", \"title\": \"t\", \"publishedOn\": \"p\","
            + " \"operations\": [\"lookUp\"], \"warmUpSeconds\": 0, \"columns\": [\"perSecond\"],"
            + " \"loads\": [{\"clients\": 2, \"bytes\": 24, \"requests\": 2, \"namesOfClient\": 1}]}";
    assertThat(WorkloadFile.parse("r.json", registry).threads()).isEmpty();
    assertThatThrownBy(
            () ->
                WorkloadFile.parse("r.json", registry.replace("\"warm", "\"seconds\": 1, \"warm")))
        .hasMessage("r.json: $.seconds is for others: requests end a case of a registry");
    assertThatThrownBy(
            () -> WorkloadFile.parse("r.json", registry.replace("\"bytes\": 24", "\"bytes\": 23")))
        .hasMessage("r.json: $.loads[0].bytes is 24 to 1024, not 23");
    assertThatThrownBy(
            () ->
                WorkloadFile.parse(
                    "r.json", registry.replace("\"requests\": 2", "\"requests\": 1")))
        .hasMessage("r.json: $.loads[0].requests is 2 to 10000000, not 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1,]", "{} {}", "{'a': 1}", "{\"seed\": 1", "// x"})
  void what_is_no_json_is_refused_with_the_name_of_the_file(String text) {
    assertThatThrownBy(() -> WorkloadFile.parse("m.json", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("m.json: ");
  }
}
