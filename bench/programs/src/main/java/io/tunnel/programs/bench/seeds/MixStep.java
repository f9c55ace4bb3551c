package io.tunnel.programs.bench.seeds;

import io.tunnel.wire.Operation;

/** One request of an operation that works on rows. */
enum MixStep {
  /** Reads the row that this operation put last, or one of the rows from before. */
  GET("get", Operation.GET_ROW),
  /** Reads ten rows in key order, from one of the rows from before on. */
  QUERY("query", Operation.GET_RANGE),
  /** Puts a row of its own, which no other client has. */
  PUT("put", Operation.WRITE),
  /** Changes the row that this operation put last, or one of the rows from before. */
  UPDATE("update", Operation.WRITE),
  /** Deletes the row that this operation put last. */
  DELETE("delete", Operation.WRITE);

  private final String word;
  private final Operation operation;

  MixStep(String word, Operation operation) {
    this.word = word;
    this.operation = operation;
  }

  /** As files name it. */
  String word() {
    return word;
  }

  /** What the client asks the server for. */
  Operation operation() {
    return operation;
  }
}
