package io.tunnel.server.catalog;

import io.tunnel.model.Durability;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** What a catalog does with texts of a newer build, and what is done with grants of one. */
public final class NewerCatalog {

  private static final Bytes KEY = Bytes.fromHex("00112233");
  private static final String TABLE =
      "\"tableId\":1,\"meta\":{\"name\":\"t\",\"primaryKey\":[{\"name\":\"id\",\"type\":\"STRING\"}],"
          + "\"options\":{%s\"durability\":\"FSYNC\",\"retentionMs\":0,\"retentionBytes\":0}},"
          + "\"createdMs\":1,\"partitions\":[{\"id\":1,\"from\":\"\",\"to\":\"\",\"parents\":[]}]}";
  private static final String TUNNEL =
      "\"tunnelId\":\"id\",\"tunnel\":\"n\",\"table\":\"t\",\"type\":\"Stream\","
          + "\"start\":\"LATEST\",\"createdMs\":6}";

  private NewerCatalog() {}

  /** Adds the cases of the page. */
  public static void addTo(Map<String, Callable<String>> cases) {
    cases.put("table-member", NewerCatalog::alterTable);
    add(cases, "table-nested", "table/1", table("", "\"later\":5,"), "the member 'later'");
    add(cases, "table-needs", "table/1", table("\"needs\":[\"x\"],", ""), "the feature 'x'");
    add(cases, "tunnel-member", "tunnel/id", "{\"more\":1," + TUNNEL, "?");
    add(cases, "tunnel-needs", "tunnel/id", "{\"needs\":[\"x\"]," + TUNNEL, "the feature 'x'");
    add(cases, "channel-member", "channel/id/1", "{\"more\":1}", "the member 'more'");
    add(cases, "checkpoint-small", "checkpoint/id/1", "30 x=1", "?");
    add(cases, "checkpoint-capital", "checkpoint/id/1", "30 X=1", "the field 'X'");
    cases.put("grant-form", () -> verify(NewerGrants.of(KEY, granted(), Bytes.fromHex("02"))));
    cases.put("grant-term", () -> verify(NewerGrants.with(KEY, granted(), grant(), further())));
  }

  private static String table(String member, String option) {
    return "{" + member + TABLE.formatted(option);
  }

  private static MemoryCatalogStore store() throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    store.write(
        Map.of(
            "counters", Optional.of("{\"tables\":1,\"partitions\":1,\"starts\":0}"),
            "table/1", Optional.of(table("", "")),
            "tunnel/id", Optional.of("{" + TUNNEL),
            "checkpoint/id/1", Optional.of("30")));
    return store;
  }

  private static void add(
      Map<String, Callable<String>> cases, String name, String key, String text, String why) {
    cases.put(
        name,
        () -> {
          MemoryCatalogStore store = store();
          store.write(Map.of(key, Optional.of(text)));
          try {
            TunnelCatalog tunnels = TestCatalogs.open(store);
            return tunnels.tunnels(Optional.empty()).size() == 1 ? "skips" : "drops";
          } catch (RuntimeException e) {
            boolean isNamed = e.getMessage().contains(why) && e.getMessage().contains("upgrade");
            return isNamed ? "refuses" : "is lost: " + e;
          }
        });
  }

  private static String alterTable() throws IOException {
    MemoryCatalogStore store = store();
    store.write(Map.of("table/1", Optional.of(table("\"more\":[1],", ""))));
    Catalog catalog = new Catalog(store);
    var unused =
        catalog.alterTable(
            catalog.table("t"), new TableOptions(Durability.OS, 0, 0), Asked.NAMELESS);
    return store.all().get("table/1").contains("\"more\":[1]") ? "keeps" : "drops";
  }

  private static Granted granted() {
    return new Granted("1_t", 1, 5, "ada");
  }

  private static Bytes grant() {
    return NewerGrants.of(
        KEY, granted(), Bytes.fromHex("01" + "00".repeat(40) + "0004" + "73796e63"));
  }

  /** Attribute 1000, which a term is not allowed to be skipped as. */
  private static Bytes further() {
    return Bytes.fromHex("e8070101");
  }

  private static String verify(Bytes grant) {
    try {
      Optional<Terms> terms = ChannelGrants.of(KEY).verified(granted(), grant, any -> {});
      return terms.isPresent() ? "skips" : "is not verified";
    } catch (RuntimeException e) {
      return e.getMessage().contains("upgrade this one") ? "refuses" : "is lost: " + e;
    }
  }
}
