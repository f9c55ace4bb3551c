package io.tunnel.server.partition.judge;

import io.tunnel.core.FairShares;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.model.value.Bytes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What the writers of all partitions of a shard take, and which writer or answer has to go. */
final class WriterMemory {

  private final FairShares<Bytes, Entry> writers;
  private final FairShares<Bytes, Entry> answers;

  /** Every writer that a partition knows. */
  private final Map<Ref, Entry> entries = new HashMap<>();

  /** Counts the entries that were made. */
  private long made;

  /** A writer of a partition, by its principal and its id. */
  record Ref(int partition, Bytes writer) {

    private Bytes principal() {
      return WriterCore.principalOf(writer);
    }
  }

  /**
   * A writer and its last answer.
   *
   * @param made puts entries of one microsecond into an order
   * @param answerBytes of a long answer; 0 for an answer that counts as a part of its writer
   */
  private record Entry(Ref ref, long micros, long made, int answerBytes)
      implements Comparable<Entry> {

    private static final Comparator<Entry> BY_AGE =
        Comparator.comparingLong(Entry::micros).thenComparingLong(Entry::made);

    @Override
    public int compareTo(Entry other) {
      return BY_AGE.compare(this, other);
    }
  }

  WriterMemory(WriterLimits.Share limits) {
    this.writers = new FairShares<>(limits.countMax());
    this.answers = new FairShares<>(limits.answerBytesMax());
  }

  /** What a partition tells. */
  WriterCore.Memory of(int partition) {
    return new WriterCore.Memory() {
      @Override
      public void knows(Bytes writer, Answered last) {
        keep(new Ref(partition, writer), last.micros(), last.answer().length());
      }

      @Override
      public void forgot(Bytes writer) {
        remove(new Ref(partition, writer));
      }
    };
  }

  private void keep(Ref ref, long micros, int answerBytes) {
    remove(ref);
    int counted = answerBytes > AnswerCodec.SHORT_BYTES_MAX ? answerBytes : 0;
    Entry entry = new Entry(ref, micros, ++made, counted);
    entries.put(ref, entry);
    writers.add(ref.principal(), entry, 1);
    if (counted > 0) {
      answers.add(ref.principal(), entry, counted);
    }
  }

  private void remove(Ref ref) {
    Entry entry = entries.remove(ref);
    if (entry != null) {
      writers.remove(ref.principal(), entry, 1);
      if (entry.answerBytes() > 0) {
        answers.remove(ref.principal(), entry, entry.answerBytes());
      }
    }
  }

  /** The answer of the writer is short now. */
  void shortened(Ref ref) {
    keep(ref, entries.get(ref).micros(), 0);
  }

  /** The writer that a partition has to forget. */
  Optional<Ref> surplusWriter() {
    return writers.surplus().map(Entry::ref);
  }

  /** The writer whose answer a partition has to shorten. */
  Optional<Ref> surplusAnswer() {
    return answers.surplus().map(Entry::ref);
  }

  /** How many writers are known. */
  long count() {
    return writers.sum();
  }

  /** Bytes of long answers. */
  long answerBytes() {
    return answers.sum();
  }
}
