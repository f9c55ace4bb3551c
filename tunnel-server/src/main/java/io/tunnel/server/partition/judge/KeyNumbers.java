package io.tunnel.server.partition.judge;

/** The largest number that the AUTO column of the keys of each partition ever had in the log. */
interface KeyNumbers {

  /** Of logs whose tables have no AUTO column. */
  KeyNumbers NONE =
      new KeyNumbers() {
        @Override
        public long largest(int partition) {
          throw new IllegalStateException("a key of partition " + partition + " is numbered");
        }

        @Override
        public void raise(int partition, long number) {
          throw new IllegalStateException("a key of partition " + partition + " is numbered");
        }
      };

  /** The largest number of a partition; 0 before the first. */
  long largest(int partition);

  /** A row with this number is about to enter the log, or is in the log; numbers never fall. */
  void raise(int partition, long number);
}
