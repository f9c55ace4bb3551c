package io.tunnel.model;

/** What a channel carries. */
public enum ChannelType {
  /** The rows of a partition as they were at one moment, in the order of their keys. */
  BaseData,
  /** The changes of a partition, in the order of their positions. */
  Stream
}
