package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.Direction;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteResult.Rejection;
import io.tunnel.wire.control.Renewal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PayloadTest {

  private static final ReadTerms SELECTING =
      new ReadTerms(
          true,
          RowSelection.ALL
              .where(Condition.parse("v > 7 and exists w"))
              .withColumns("v", "note")
              .withCommitTimes());

  private static final Bytes KEY = Bytes.fromHex("038000000000000001");

  /**
   * A payload with its decoder.
   *
   * @param openEnd whether the payload ends with text of any length, so that a shorter or longer
   *     payload is valid, too
   */
  private record Sample(Object value, Bytes encoded, Function<byte[], ?> decoder, boolean openEnd) {
    byte[] bytes() {
      return encoded.toByteArray();
    }

    @Override
    public String toString() {
      return value.getClass().getSimpleName() + " of " + encoded.length() + " bytes";
    }
  }

  private static Sample sample(Object value, byte[] bytes, Function<byte[], ?> decoder) {
    return new Sample(value, Bytes.copyOf(bytes), decoder, false);
  }

  private static Sample openEnded(Object value, byte[] bytes, Function<byte[], ?> decoder) {
    return new Sample(value, Bytes.copyOf(bytes), decoder, true);
  }

  private static Stream<Sample> plainPayloads() {
    return Stream.of(
        openEnded(hello("é中😀"), hello("é中😀").encode(), Hello::decode),
        openEnded(hello(""), hello("").encode(), Hello::decode),
        openEnded(
            new ErrorPayload(ErrorCode.BUSY, "später"),
            new ErrorPayload(ErrorCode.BUSY, "später").encode(),
            ErrorPayload::decode),
        openEnded(echo(true, 3), echo(true, 3).encode(), EchoRequest::decode),
        openEnded(echo(false, 0), echo(false, 0).encode(), EchoRequest::decode),
        sample(
            new ChannelRef(-1, Long.MIN_VALUE),
            new ChannelRef(-1, Long.MIN_VALUE).encode(),
            ChannelRef::decode),
        sample(
            new ChannelEnd(-7, Long.MIN_VALUE, 0),
            new ChannelEnd(-7, Long.MIN_VALUE, 0).encode(),
            ChannelEnd::decode),
        sample(
            new ChannelEnd(7, 8, Long.MAX_VALUE),
            new ChannelEnd(7, 8, Long.MAX_VALUE).encode(),
            ChannelEnd::decode),
        openEnded(
            new Renewal(7, 8, Bytes.fromHex("0001ff")),
            new Renewal(7, 8, Bytes.fromHex("0001ff")).encode(),
            Renewal::decode),
        openEnded(
            new Checkpoint(7, 8, Long.MAX_VALUE),
            new Checkpoint(7, 8, Long.MAX_VALUE).encode(),
            Checkpoint::decode),
        sample(
            new Credit(7, -8, Integer.MAX_VALUE),
            new Credit(7, -8, Integer.MAX_VALUE).encode(),
            Credit::decode),
        sample(
            new GetRowRequest(5, KEY), new GetRowRequest(5, KEY).encode(), GetRowRequest::decode),
        sample(
            new GetRowRequest(5, KEY, SELECTING),
            new GetRowRequest(5, KEY, SELECTING).encode(),
            GetRowRequest::decode),
        sample(
            new GetRowsRequest(5, List.of(Bytes.EMPTY, KEY), SELECTING),
            new GetRowsRequest(5, List.of(Bytes.EMPTY, KEY), SELECTING).encode(),
            GetRowsRequest::decode),
        sample(
            new RangeRequest(5, Direction.FORWARD, 1, 1, KEY, KEY, SELECTING),
            new RangeRequest(5, Direction.FORWARD, 1, 1, KEY, KEY, SELECTING).encode(),
            RangeRequest::decode),
        sample(
            new RangeRequest(5, Direction.BACKWARD, 5_000, 4 << 20, KEY, Bytes.EMPTY),
            new RangeRequest(5, Direction.BACKWARD, 5_000, 4 << 20, KEY, Bytes.EMPTY).encode(),
            RangeRequest::decode),
        sample(WireSamples.look(), WireSamples.look().encode(), LookRequest::decode),
        sample(WireSamples.looked(), WireSamples.looked().encode(), LookAnswer::decode),
        sample(
            new WriteResult(Long.MAX_VALUE, 0, List.of()),
            new WriteResult(Long.MAX_VALUE, 0, List.of()).encode(),
            WriteResult::decode),
        openEnded(rejecting(), rejecting().encode(), WriteResult::decode),
        openEnded(returning(), returning().encode(), WriteResult::decode));
  }

  private static Hello hello(String name) {
    return Hello.request(new Capabilities(0, 65_535, List.of("a", "z.9-")), name);
  }

  private static EchoRequest echo(boolean isRepeated, int bytes) {
    return new EchoRequest(isRepeated, Bytes.copyOf(new byte[bytes]));
  }

  @Test
  void an_echo_is_of_so_many_bytes_at_most_and_of_two_forms() {
    byte[] most = echo(true, EchoRequest.DATA_BYTES_MAX).encode();
    Operation.ECHO.requireSize(most);
    assertThat(EchoRequest.decode(most).answer()).hasSize(EchoRequest.DATA_BYTES_MAX);
    byte[] tooMany = new byte[most.length + 1];
    requireRefused(() -> EchoRequest.decode(tooMany), "65537 bytes after a request to echo");
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> Operation.ECHO.requireSize(tooMany))
        .withMessageContaining("ECHO takes 65537 at most");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> echo(true, EchoRequest.DATA_BYTES_MAX + 1))
        .withMessageContaining("an echo of 65537 bytes");
    requireRefused(() -> EchoRequest.decode(new byte[] {2, 7}), "form 2, not 0 (acknowledge) or 1");
    assertThat(echo(false, 9).answer()).isEmpty();
  }

  private static WriteResult returning() {
    Bytes columns = Bytes.fromHex("02" + "00" + "01" + "0000000000000007" + "03" + "03" + "01");
    return new WriteResult(100, 3, List.of(new Rejection(1, ErrorCode.CONDITION_FAILED)))
        .returning(
            List.of(
                new ReturnedRow(0, ReturnedRow.Kind.GIVEN, columns),
                new ReturnedRow(1, ReturnedRow.Kind.ABSENT),
                new ReturnedRow(3, ReturnedRow.Kind.NOT_KEPT)));
  }

  private static WriteResult rejecting() {
    return new WriteResult(
        100,
        65_533,
        List.of(
            new Rejection(0, ErrorCode.CONDITION_FAILED),
            new Rejection(1, ErrorCode.CONDITION_FAILED),
            new Rejection(65_535, ErrorCode.INTERNAL)));
  }

  /** Payloads with a batch in them, which have no value of their own to compare with. */
  private static Stream<Sample> batchPayloads() {
    return Stream.of(
        sample("write", WireSamples.writeRequest(Optional.empty()), WriteRequest::decode),
        sample("write", WireSamples.writeRequest(Optional.of(Durability.OS)), WriteRequest::decode),
        sample("page", page(Optional.of(KEY), 2), RowPage::decode),
        sample("page", page(Optional.empty(), 0), RowPage::decode),
        sample(
            "page",
            RowPage.encode(
                Optional.of(KEY),
                new RowPage.Looked(9, 99),
                WireSamples.batch(2),
                Optional.of(List.of(1L, Long.MAX_VALUE))),
            RowPage::decode),
        sample("delivery", WireSamples.delivery(), Delivery::decode));
  }

  private static Stream<Sample> allPayloads() {
    return Stream.concat(plainPayloads(), batchPayloads());
  }

  @ParameterizedTest
  @MethodSource("plainPayloads")
  void a_payload_survives_the_round_trip(Sample sample) {
    assertThat((Object) sample.decoder().apply(sample.bytes())).isEqualTo(sample.value());
  }

  @ParameterizedTest
  @MethodSource("allPayloads")
  void a_payload_cut_short_is_refused(Sample sample) {
    for (int length = 0; length < sample.bytes().length; length++) {
      byte[] cut = Arrays.copyOf(sample.bytes(), length);
      if (sample.openEnd()) {
        assertTotal(sample, cut);
      } else if (!endsWithABatch(sample, length)) {
        assertThatExceptionOfType(MalformedException.class)
            .as("%s cut to %d", sample, length)
            .isThrownBy(() -> sample.decoder().apply(cut))
            .withMessageMatching(".{10,}");
      }
    }
  }

  /** A delivery that is cut between its batches is valid. */
  private static boolean endsWithABatch(Sample sample, int length) {
    return sample.value().equals("delivery")
        && length == Delivery.PREFIX_BYTES + WireSamples.batch(2).length;
  }

  @ParameterizedTest
  @MethodSource("allPayloads")
  void a_payload_with_a_flipped_bit_is_read_or_refused(Sample sample) {
    for (int bit = 0; bit < 8 * sample.bytes().length; bit++) {
      byte[] flipped = sample.bytes().clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertTotal(sample, flipped);
    }
  }

  @ParameterizedTest
  @MethodSource("allPayloads")
  void bytes_behind_a_payload_are_refused(Sample sample) {
    byte[] longer = Arrays.copyOf(sample.bytes(), sample.bytes().length + 1);
    if (sample.openEnd()) {
      assertTotal(sample, longer);
    } else {
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> sample.decoder().apply(longer));
    }
  }

  private static void assertTotal(Sample sample, byte[] bytes) {
    try {
      assertThat((Object) sample.decoder().apply(bytes)).isNotNull();
    } catch (MalformedException e) {
      assertThat(e).hasMessageMatching(".{10,}");
    }
  }

  @Test
  void a_write_request_gives_back_what_it_was_made_of() {
    byte[] payload = WireSamples.writeRequest(Optional.of(Durability.OS));
    WriteRequest request = WriteRequest.decode(payload);
    assertThat(request.tableId()).isEqualTo(3);
    assertThat(request.durability()).contains(Durability.OS);
    assertThat(request.batch().rowCount()).isEqualTo(2);
    assertThat(request.batch().array()).isSameAs(payload);
    assertThat(WriteRequest.decode(WireSamples.writeRequest(Optional.empty())).durability())
        .isEmpty();

    payload[4] = 3;
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> WriteRequest.decode(payload))
        .withMessage("durability 3, not 0 (the table's), 1 (FSYNC) or 2 (OS)");
  }

  @Test
  void a_delivery_gives_back_its_batches_in_order() {
    Delivery delivery = Delivery.decode(WireSamples.delivery());
    assertThat(delivery.handle()).isEqualTo(4);
    assertThat(delivery.epoch()).isEqualTo(5);
    assertThat(delivery.firstPosition()).isEqualTo(11);
    assertThat(delivery.batches().stream().map(ChangeBatch::rowCount)).containsExactly(2, 1);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Delivery.decode(new byte[Delivery.PREFIX_BYTES]))
        .withMessageContaining("without a batch");
  }

  @Test
  void a_page_says_where_to_go_on_or_that_it_is_the_last() {
    RowPage page = RowPage.decode(page(Optional.of(KEY), 2));
    assertThat(page.next()).contains(KEY);
    assertThat(page.rows().rowCount()).isEqualTo(2);
    assertThat(page.looked()).isEqualTo(new RowPage.Looked(7, 77));
    assertThat(page.commitMicrosOf(1)).isEmpty();
    assertThat(RowPage.decode(page(Optional.empty(), 2)).next()).isEmpty();
  }

  private static byte[] page(Optional<Bytes> next, int rows) {
    return RowPage.encode(
        next, new RowPage.Looked(7, 77), WireSamples.batch(rows), Optional.empty());
  }

  @Test
  void a_page_has_the_commit_time_of_each_row_or_of_none() {
    byte[] payload =
        RowPage.encode(
            Optional.empty(),
            RowPage.Looked.NOTHING,
            WireSamples.batch(2),
            Optional.of(List.of(5L, 6L)));
    RowPage page = RowPage.decode(payload);
    assertThat(page.commitMicrosOf(0)).contains(5L);
    assertThat(page.commitMicrosOf(1)).contains(6L);
    payload[0] = 0;
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> RowPage.decode(payload))
        .withMessageContaining("16 bytes after the batch of a page of rows, where 0 commit times");
  }

  @Test
  void a_read_that_cannot_be_is_refused_by_name() {
    byte[] get = new GetRowRequest(5, KEY).encode();
    get[get.length - 1] = 16;
    requireRefused(() -> GetRowRequest.decode(get), "flags 16 of a read of rows; this build knows");
    byte[] condition = new GetRowRequest(5, KEY, SELECTING).encode();
    condition[4 + 1 + KEY.length() + 2] = 9;
    requireRefused(() -> GetRowRequest.decode(condition), "form 9");
    requireRefused(
        () -> GetRowRequest.decode(choosing(List.of("a", "b", "a"))),
        "column 'a' is chosen twice; name each column once");
    requireRefused(
        () -> GetRowRequest.decode(choosing(Collections.nCopies(1_025, "a"))),
        "1025 columns are chosen; at most 1024");
    requireRefused(
        () -> GetRowRequest.decode(choosing(List.of(""))), "a column name must not be empty");
    byte[] rows = new RangeRequest(5, Direction.FORWARD, 1, 1, KEY, KEY).encode();
    for (int wrong : new int[] {0, 5_001, -1}) {
      Binary.putInt(rows, 5, wrong);
      requireRefused(() -> RangeRequest.decode(rows), "ask for 1 to 5000 rows and 1 to 4194304");
    }
    byte[] keys = new GetRowsRequest(5, List.of(KEY), ReadTerms.BOUNDED).encode();
    keys[5] = 0;
    requireRefused(() -> GetRowsRequest.decode(Arrays.copyOf(keys, 6)), "0 keys; it has 1 to 1000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GetRowsRequest(5, List.of(KEY, KEY), ReadTerms.BOUNDED))
        .withMessageContaining("key 1 of a get-rows request is not above the key before it");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new GetRowsRequest(5, Collections.nCopies(1_001, KEY), ReadTerms.BOUNDED));
  }

  private static void requireRefused(Runnable decoding, String message) {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(decoding::run)
        .withMessageContaining(message)
        .extracting(MalformedException::code)
        .isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  /** A read that chooses columns that no selection has. */
  private static byte[] choosing(List<String> names) {
    ByteSink sink = new ByteSink(64);
    sink.writeInt(5);
    sink.writeVarint(KEY.length());
    sink.write(KEY);
    sink.writeByte(4);
    sink.writeVarint(names.size());
    names.forEach(name -> Utf8.writeSized(sink, name));
    return sink.toByteArray();
  }

  @Test
  void a_page_that_would_start_the_range_again_is_refused_on_both_ends() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> page(Optional.of(Bytes.EMPTY), 0))
        .withMessageContaining("next");
    byte[] payload = page(Optional.empty(), 0);
    for (int flag : new int[] {1, 4, 255}) {
      payload[0] = (byte) flag;
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> RowPage.decode(payload))
          .withMessageContaining("a page of rows with the flags " + flag);
    }
  }

  @Test
  void a_channel_that_ends_before_its_first_position_is_refused() {
    byte[] payload = new ChannelEnd(1, 2, 3).encode();
    Binary.putLong(payload, 12, -1);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> ChannelEnd.decode(payload))
        .withMessage("a channel that ends at -1");
  }

  @Test
  void an_error_code_of_a_later_version_reads_as_internal() {
    byte[] payload = new ErrorPayload(ErrorCode.BUSY, "x").encode();
    Binary.putShort(payload, 0, 60_000);
    assertThat(ErrorPayload.decode(payload)).isEqualTo(new ErrorPayload(ErrorCode.INTERNAL, "x"));
    assertThat(ErrorPayload.decode(payload).toException().code()).isEqualTo(ErrorCode.INTERNAL);
  }

  @Test
  void a_long_message_is_cut_between_two_characters() {
    for (String character : List.of("a", "é", "中", "😀")) {
      for (String before : List.of("", "x", "xx", "xxx")) {
        String message = before + character.repeat(4_096);
        byte[] payload = new ErrorPayload(ErrorCode.BUSY, message).encode();
        assertThat(payload.length).isBetween(2 + 4_093, 2 + 4_096);
        assertThat(message).startsWith(ErrorPayload.decode(payload).message());
        Hello hello = Hello.decode(hello(message).encode());
        assertThat(hello.name().length()).isPositive();
        assertThat(message).startsWith(hello.name());
      }
    }
  }

  @Test
  void a_greeting_without_the_magic_is_refused() {
    byte[] payload = hello("x").encode();
    payload[0] ^= 1;
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Hello.decode(payload))
        .withMessageContaining("TNL1");
  }

  @Test
  void values_that_no_peer_would_take_are_refused_before_they_are_sent() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Credit(1, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Checkpoint(1, 1, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> new ChannelEnd(1, 1, -1));
    for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> new RangeRequest(1, Direction.FORWARD, wrong, 1, Bytes.EMPTY, Bytes.EMPTY));
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> new RangeRequest(1, Direction.FORWARD, 1, wrong, Bytes.EMPTY, Bytes.EMPTY));
    }
  }

  @Test
  void a_range_whose_lowest_key_is_above_its_highest_is_refused_on_both_sides() {
    Bytes low = Bytes.fromHex("0501");
    Bytes high = Bytes.fromHex("0502");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RangeRequest(1, Direction.BACKWARD, 1, 1, high, low))
        .withMessageContaining("from is the lowest key");
    byte[] swapped = new RangeRequest(1, Direction.FORWARD, 1, 1, high, high).encode();
    swapped[lastIndexOf(swapped, (byte) 2)] = 1; // Of "to", which is below "from" then.
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> RangeRequest.decode(swapped))
        .withMessageContaining("from is the lowest key");
  }

  private static int lastIndexOf(byte[] bytes, byte value) {
    int last = bytes.length - 1;
    while (bytes[last] != value) {
      last--;
    }
    return last;
  }

  @Test
  void every_operation_error_and_kind_is_found_by_its_number() {
    for (Operation operation : Operation.values()) {
      assertThat(Operation.of(operation.code())).isEqualTo(operation);
    }
    assertThat(IntStream.of(-1, 0, 4, 15, 46, 69, 255).mapToObj(Operation::of)).containsOnlyNulls();
    for (ErrorCode code : ErrorCode.values()) {
      assertThat(ErrorCode.of(code.code())).isEqualTo(code);
    }
    for (FrameKind kind : FrameKind.values()) {
      assertThat(Frame.kindOf(kind.code())).isEqualTo(kind);
    }
    assertThatCode(() -> Frame.kindOf(255)).doesNotThrowAnyException();
  }
}
