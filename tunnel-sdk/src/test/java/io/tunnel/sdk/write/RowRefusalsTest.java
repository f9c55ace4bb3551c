package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import org.junit.jupiter.api.Test;

class RowRefusalsTest {

  private static String failed(RowChange change) {
    return RowRefusals.message(change, ErrorCode.CONDITION_FAILED);
  }

  @Test
  void a_failed_condition_is_named() {
    Condition rich = Condition.column("balance").isAtLeast(90);
    assertThat(failed(Row.key("id", 7).put(RowExistenceExpectation.EXPECT_NOT_EXIST)))
        .isEqualTo("EXPECT_NOT_EXIST does not hold of the row");
    assertThat(failed(Row.key("id", 7).add("balance", -90).update().onlyIf(rich)))
        .isEqualTo("'balance >= 90' does not hold of the row");
    assertThat(failed(Row.key("id", 7).delete(RowExistenceExpectation.EXPECT_EXIST).onlyIf(rich)))
        .isEqualTo("EXPECT_EXIST, or 'balance >= 90' does not hold of the row");
    Condition large = Condition.column("name").isEqualTo("x".repeat(10_000));
    assertThat(failed(Row.key("id", 7).put().onlyIf(large)))
        .hasSizeLessThan(400)
        .contains("name = ", "characters)'");
  }

  @Test
  void a_column_that_cannot_be_added_to_is_named() {
    RowChange one = Row.key("id", 7).set("state", "new").add("visits", 1).update();
    RowChange two = Row.key("id", 7).add("visits", 1).add("orders", 1).update();
    assertThat(RowRefusals.message(one, ErrorCode.NOT_AN_INTEGER))
        .isEqualTo("the row has no INTEGER in 'visits'");
    assertThat(RowRefusals.message(two, ErrorCode.NOT_AN_INTEGER))
        .isEqualTo("the row has no INTEGER in one of 'visits', 'orders'");
    assertThat(RowRefusals.message(one, ErrorCode.INTEGER_OVERFLOW))
        .isEqualTo("the result of the increment of 'visits' has no room in an INTEGER of 64 bits");
    assertThat(RowRefusals.message(Row.key("id", 7).put(), ErrorCode.INTEGER_OVERFLOW))
        .isEqualTo("the next number of the key has no room in an INTEGER of 64 bits");
  }

  @Test
  void other_refusals_have_their_code() {
    RowChange put = Row.key("id", 7).put();
    assertThat(RowRefusals.message(put, ErrorCode.BATCH_REFUSED)).contains("atomic batch");
    assertThat(RowRefusals.message(put, ErrorCode.STORAGE_FAILED)).endsWith("STORAGE_FAILED");
  }
}
